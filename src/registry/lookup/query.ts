import { z } from 'zod'
import { refusedAs } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { isNpi } from '../../proof/lookup/npi.ts'
import {
  codeOf,
  PAYER,
  type ParsedQuestion,
  parseQuestion,
  type Question,
  type QuestionFault,
} from '../../proof/lookup/question.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { isPlaceOfService } from '../../proof/lookup/side.ts'
import { BASES, SETTINGS } from '../../proof/price/row.ts'
import { CODE_FORM } from '../../tables/charts.ts'
import { BILL_KINDS } from '../../tables/sides.ts'
import { otherCode } from './other-codes.ts'

// The parameters of lookups. Their meaning is in proof/lookup/question.ts, which verifiers use too.

export const Code = z
  .string()
  .overwrite(codeOf)
  .max(16)
  .regex(CODE_FORM)
  .register(refusedAs, { problem: 'invalid_cpt', says: otherCode })
  .meta({
    description: 'a CPT or HCPCS code of five characters, or of another kind with its prefix: `DRG-470`, `RC-0450`',
    examples: ['99213', 'DRG-470'],
  })
export const Npi = z
  .string()
  .max(16)
  .regex(/^[12][0-9]{9}$/)
  .refine(isNpi)
  .register(refusedAs, { problem: 'invalid_npi' })
  .meta({
    description: 'the National Provider Identifier of a hospital: ten digits, the last a check digit',
    examples: ['1234567893'],
  })
/** The pattern of `parseRegion`, without the flag that a JSON schema cannot have. */
const REGION_PATTERN =
  /^([Nn][Aa][Tt][Ii][Oo][Nn][Aa][Ll]|[A-Za-z]{2}|[Uu][Ss]-[A-Za-z]{2}(-[0-9]{2})?|([Zz][Ii][Pp]-)?[0-9]{5}(-[0-9]{4})?|[Cc][Bb][Aa]-[0-9A-Fa-f]{8})$/
export const RegionText = z
  .string()
  .max(16)
  .regex(REGION_PATTERN)
  .refine((text) => parseRegion(text) !== undefined)
  .register(refusedAs, { problem: 'invalid_region' })
  .meta({
    description:
      '`national`, a state as `US-CA` or `CA`, a Medicare locality as `US-CA-05`, or a ZIP code as `94102` or `94102-1234`',
    examples: ['94102'],
  })
export const AsOf = z.iso.date().meta({ description: 'Date of service; today if left out', examples: ['2026-07-01'] })

export const Payer = z
  .string()
  .max(61)
  .regex(PAYER)
  .meta({ description: 'with `npi`: its own rate, as `aetna/commercial`' })

export const ReferenceQuery = z.strictObject({
  cpt: Code,
  region: RegionText.default('national'),
  npi: Npi.optional(),
  as_of: AsOf.optional(),
  modifier: z
    .string()
    .max(16)
    .regex(/^[A-Za-z0-9]{2}(-[A-Za-z0-9]{2}){0,3}$/)
    .optional()
    .meta({
      description: 'modifiers as on the bill: one of two characters, or up to four as `26-59`, in any order',
      examples: ['26'],
    }),
  setting: z.enum(SETTINGS).optional().meta({ description: 'Where the service is performed' }),
  basis: z.enum(BASES).optional().meta({ description: 'The kind of price' }),
  payer: Payer.optional(),
  kind: z.enum(BILL_KINDS).optional().meta({ description: 'Whose bill it is' }),
  revenue_code: z
    .string()
    .max(4)
    .regex(/^[0-9]{3,4}$/)
    .optional()
    .meta({ description: 'of the line on a facility\u2019s bill', examples: ['0450'] }),
  place_of_service: z
    .string()
    .max(2)
    .regex(/^[0-9]{2}$/)
    .refine(isPlaceOfService)
    .optional()
    .meta({
      description: 'of the line on a professional\u2019s bill, two digits of the list of CMS',
      examples: ['23'],
    }),
})
export type ReferenceQuery = z.output<typeof ReferenceQuery>

export const ProofForm = z
  .enum(['full', 'ref'])
  .default('full')
  .meta({ description: '`full` for everything that proves the answer, `ref` for a pointer to it' })

const MISFITS = {
  basis: 'a Medicare basis goes without npi, and a hospital basis with it',
  payer:
    'a payer\u2019s own rate needs the npi of the hospital, and a basis of payers, if any; such a basis needs the payer',
  setting: 'no schedule has this setting; a hospital\u2019s inpatient prices need its npi',
}
const OF_ANOTHER_SIDE = {
  basis: 'the price list of this basis does not pay this side of the bill: leave one of the two out',
  setting:
    'this setting is of another side of the bill than kind, revenue_code or place_of_service: leave one of the two out',
}

/** The question as the rule of the lookup understands it. */
export function questionOf({ as_of, ...query }: ReferenceQuery, today: string): ParsedQuestion {
  const question: Question = { ...query, as_of: as_of ?? today }
  const parsed = parseQuestion(question)
  if (typeof parsed !== 'string') return parsed
  const { kind: _, revenue_code: _r, place_of_service: _p, ...rest } = question
  const isOfSide = typeof parseQuestion(rest) !== 'string'
  const misfits: { readonly [name in QuestionFault]?: string } = isOfSide ? OF_ANOTHER_SIDE : MISFITS
  throw Problem.parameter(parsed, misfits[parsed] ?? `the parameter ${parsed} has no meaning here`)
}
