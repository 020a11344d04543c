// JSON Schemas for the OpenAPI document. It is read by agents who pay for every word, so nothing stands in it twice.

import { z } from 'zod'
import { CORE_PATH } from './about-api.ts'

export type JsonSchema = { [member: string]: unknown }

/** The schemas of a document, as they are gathered, and whether the members of answers are explained in it. */
export interface Gathering {
  schemas: JsonSchema
  explained: boolean
}

/** A schema with an id becomes a component, once; other schemas are inlined. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', { schemas, explained }: Gathering): JsonSchema {
  const { $schema: _, ...whole } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' }) as JsonSchema
  const answer = (): unknown => opened(shortened(explained ? whole : withoutDescriptions(whole)))
  const short = io === 'output' ? answer() : shortened(whole)
  const { $defs = {}, ...rest } = short as JsonSchema & { $defs?: JsonSchema }
  for (const [id, definition] of Object.entries($defs)) schemas[id] = withoutId(definition)
  const id = rest['id']
  if (typeof id !== 'string') return rest
  schemas[id] = withoutId(rest)
  return refTo(id)
}

const PLACE = '#/components/schemas/'
const refTo = (name: string): JsonSchema => ({ $ref: `${PLACE}${name}` })

const withoutId = (definition: unknown): JsonSchema => {
  const { id: _, ...rest } = definition as JsonSchema
  return rest
}

/** Shortens a schema without a change of meaning. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  if ('x-spec' in value) return named(value as JsonSchema)
  // The members of a document that explains itself to whoever reads it.
  if ('x-plain' in value) {
    const { 'x-long': _, ...members } = value as JsonSchema
    return { ...(shortened(withoutDescriptions(members)) as JsonSchema), ...descriptionOf(members) }
  }
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    if (name === '$ref') return [[name, String(member).replace('#/$defs/', PLACE)]]
    return isImplied(name, member, value as JsonSchema) ? [] : [[name, shortened(member)]]
  })
  return orNull(Object.fromEntries(members))
}

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (typeof value !== 'object' || value === null) return value
  if ('x-long' in value) return named({ ...value, 'x-spec': CORE_PATH })
  const isText = ([name, member]: [string, unknown]): boolean =>
    (name === 'description' && typeof member === 'string') || name === 'examples' || name === 'x-plain'
  const kept = Object.entries(value).filter((entry) => !isText(entry))
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutDescriptions(member)]))
}

/**
 * An answer has no other members than those that are listed. That is said once, at the top: a proxy that refuses what it
 * does not know would else refuse an answer with one more. That counts and places are not negative is plain.
 */
function opened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(opened)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([name, member]) => !(name === 'additionalProperties' && member === false) && !(name === 'minimum' && member === 0),
  )
  return Object.fromEntries(kept.map(([name, member]) => [name, opened(member)]))
}

/** Schemas with a specification of their own, read only by verifiers and other programs, are named and not spelled out. */
const named = ({ id, 'x-spec': spec }: JsonSchema): JsonSchema => ({
  ...(id !== undefined && { id }),
  type: 'object',
  'x-spec': spec,
})

const descriptionOf = ({ description }: JsonSchema): JsonSchema => (description === undefined ? {} : { description })

/** The format says what the pattern of a date says, numbers are safe ones, names are texts, and a value has its own type. */
const isImplied = (name: string, member: unknown, schema: JsonSchema): boolean =>
  (name === 'pattern' && (schema['format'] === 'date' || schema['format'] === 'date-time')) ||
  (name === 'maximum' && member === Number.MAX_SAFE_INTEGER) ||
  (name === 'minimum' && member === Number.MIN_SAFE_INTEGER) ||
  (name === 'propertyNames' && JSON.stringify(member) === '{"type":"string"}') ||
  (name === 'type' && 'const' in schema) ||
  name === 'x-long'

/** `anyOf` of one simple type and null is a type with two names. */
function orNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1].type !== 'null') return schema
  const { type, enum: values, ...first } = anyOf[0] as JsonSchema
  if (typeof type !== 'string' || 'const' in first) return schema
  return { type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }), ...first, ...rest }
}

/**
 * Gives a name to every schema that stands in several places. A name is that of the member it was first seen under, or of the
 * component that it equals.
 */
export class SharedSchemas {
  readonly #counts = new Map<string, number>()
  readonly #names = new Map<string, string>()
  readonly #shared: JsonSchema = {}
  readonly #schemas: JsonSchema
  readonly #shapes: [string, ObjectSchema][]

  constructor(schemas: JsonSchema, others: readonly JsonSchema[], shapes: readonly string[]) {
    this.#schemas = schemas
    this.#shapes = shapes.map((name) => [name, schemas[name] as ObjectSchema])
    for (const [name, schema] of Object.entries(schemas)) this.#names.set(JSON.stringify(schema), name)
    for (const schema of [...Object.values(schemas), ...others]) this.#count(schema as JsonSchema)
  }

  /** All components, once everything else has been replaced. */
  components(): JsonSchema {
    const own = Object.entries(this.#schemas).map(([name, schema]) => [name, this.#inside(schema as JsonSchema, name)])
    return { ...Object.fromEntries(own), ...this.#shared }
  }

  /** A schema with references in it, or a reference to it. */
  replaced(schema: JsonSchema, name: string): JsonSchema {
    const text = JSON.stringify(schema)
    const known = this.#names.get(text)
    if (known !== undefined) return refTo(known)
    const inside = this.#inside(schema, name)
    const free = this.#freeName(name)
    if (!isWorth(JSON.stringify(inside).length, this.#counts.get(text) ?? 0, free)) return inside
    this.#names.set(text, free)
    this.#shared[free] = inside
    return refTo(free)
  }

  /** A part of something that is counted already is not counted again: it is repeated with the whole. */
  #count(schema: JsonSchema): void {
    const text = JSON.stringify(schema)
    const before = this.#counts.get(text) ?? 0
    this.#counts.set(text, before + 1)
    if (before > 0) return
    mapParts(schema, '', (part) => {
      this.#count(part)
      return part
    })
  }

  #inside(schema: JsonSchema, name: string): JsonSchema {
    return mapParts(this.#extending(schema, name), name, (part, partName) => this.replaced(part, partName))
  }

  /** An object that has all members of a shape, said as that shape with more members. */
  #extending(schema: JsonSchema, name: string): JsonSchema {
    if (schema['type'] !== 'object' || !isSchema(schema['properties'])) return schema
    const { properties, required = [], ...rest } = schema as ObjectSchema
    let own = properties
    const bases: JsonSchema[] = []
    for (const [shape, { properties: members, required: needed = [] }] of this.#shapes) {
      const names = Object.keys(members)
      const hasAll = names.every(
        (each) =>
          JSON.stringify(own[each]) === JSON.stringify(members[each]) &&
          required.includes(each) === needed.includes(each),
      )
      if (!hasAll || shape === name) continue
      bases.push(refTo(shape))
      own = Object.fromEntries(Object.entries(own).filter(([each]) => !names.includes(each)))
    }
    if (bases.length === 0) return schema
    const still = required.filter((each) => each in own)
    const { type: _, ...further } = rest
    return {
      ...further,
      allOf: bases,
      ...(Object.keys(own).length > 0 && { properties: own }),
      ...(still.length > 0 && { required: still }),
    }
  }

  #freeName(name: string): string {
    const isTaken = (each: string): boolean => each in this.#schemas || each in this.#shared
    if (!isTaken(name)) return name
    let n = 2
    while (isTaken(`${name}${n}`)) n++
    return `${name}${n}`
  }
}

/** Whether a name is shorter than to repeat what it stands for. What is short by itself, such as a list of texts, has none. */
const isWorth = (length: number, count: number, name: string): boolean =>
  length > 50 && (count - 1) * length > count * JSON.stringify(refTo(name)).length + name.length + 4

interface ObjectSchema extends JsonSchema {
  properties: Record<string, JsonSchema>
  required?: string[]
}

type Change = (part: JsonSchema, name: string) => JsonSchema

/** A schema with each schema that it is made of changed. */
function mapParts(schema: JsonSchema, name: string, change: Change): JsonSchema {
  const changed: JsonSchema = { ...schema }
  const { properties, items, additionalProperties } = schema
  if (isSchema(properties))
    changed['properties'] = Object.fromEntries(
      Object.entries(properties).map(([member, part]) => [member, change(part as JsonSchema, pascal(member))]),
    )
  if (isSchema(items)) changed['items'] = change(items, `${name}Item`)
  if (isSchema(additionalProperties)) changed['additionalProperties'] = change(additionalProperties, `${name}Value`)
  for (const choice of ['anyOf', 'oneOf', 'allOf'] as const) {
    const parts = schema[choice]
    if (Array.isArray(parts))
      changed[choice] = parts.map((part) => ('$ref' in part ? part : change(part, kindName(part) ?? `${name}Choice`)))
  }
  return changed
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

const pascal = (name: string): string =>
  name.replaceAll(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** One of several shapes often says which it is. */
function kindName(part: JsonSchema): string | undefined {
  const kind = (part['properties'] as { kind?: JsonSchema } | undefined)?.kind
  const word = kind?.['const'] ?? (kind?.['enum'] as string[] | undefined)?.[0]
  return typeof word === 'string' ? `${pascal(word)}Row` : undefined
}
