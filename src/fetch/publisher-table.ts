import { z } from 'zod'
import type { PublisherTable } from '../tables/publishers.ts'

const LONGEST_FORM = 400
const form = z.strictObject({
  path: z.string().max(LONGEST_FORM).refine(isPattern),
  quarter: z.int().min(1).max(4).optional(),
})

function isPattern(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}

const amount = z.string().regex(/^[0-9]{1,9}\.[0-9]{2,4}$/)
const canary = z.union([
  z.strictObject({
    code: z.string(),
    region: z.string().optional(),
    setting: z.string().optional(),
    modifier: z.string().optional(),
    least: amount,
    most: amount,
  }),
  z.strictObject({ code: z.string(), least_units: z.int().min(0), most_units: z.int().min(0) }),
  z.strictObject({ code: z.string(), with: z.string() }),
  z.strictObject({ zip: z.string(), region: z.string() }),
])

const pattern = z.string().max(LONGEST_FORM).refine(isPattern)
const heading = z.strictObject({
  has: z.array(z.string()),
  named: pattern.optional(),
  not_named: pattern.optional(),
  beside: z.boolean().optional(),
  of_year: z.boolean().optional(),
})

/** The form of docs/spec/tables/publishers.json. */
export const PublisherFile = z.strictObject({
  is: z.string().optional(),
  hosts: z.array(z.string()).min(1),
  gates: z.record(z.string(), z.strictObject({ title: z.string(), path: form.shape.path, page: z.url() })),
  charts: z.record(
    z.string(),
    z.strictObject({
      page: z.url().optional(),
      per_provider: z.boolean().optional(),
      by_operator: z.boolean().optional(),
      detail: z.array(form).optional(),
      files: z.array(form).optional(),
      parts: z.array(z.string()).optional(),
      gate: z.string().optional(),
      yearly: z.boolean().optional(),
      beside: z.string().optional(),
      most_mib: z.int().min(1),
      most_rows: z.int().min(1),
      canaries: z.array(canary),
      headings: z.array(heading),
      source: z.string(),
    }),
  ),
})

/** Reads the operator's own table. Undefined if it does not have the form. */
export function publisherTable(text: string): PublisherTable | undefined {
  try {
    const { success, data } = PublisherFile.safeParse(JSON.parse(text))
    return success ? (data as PublisherTable) : undefined
  } catch {
    return undefined
  }
}
