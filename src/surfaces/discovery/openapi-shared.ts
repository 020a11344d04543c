// Puts an OpenAPI document together so that what stands in several places has a name, and nothing unused is left.

import { headerComponents, responseComponents } from './openapi-responses.ts'
import { type JsonSchema, SharedSchemas } from './openapi-schemas.ts'

export interface Item {
  path: string
  method: string
  item: JsonSchema
}

/** Paths and components, where what stands in several places has a name. */
export function shared(
  items: readonly Item[],
  { securitySchemes, schemas }: { securitySchemes: object; schemas: JsonSchema },
  shapes: readonly string[],
): JsonSchema {
  const roots: JsonSchema[] = []
  for (const { item } of items)
    eachSchema(item, '', (schema) => {
      roots.push(schema)
      return schema
    })
  const names = new SharedSchemas(schemas, roots, shapes)
  const paths: Record<string, JsonSchema> = {}
  const parameters = new SharedParameters(items)
  for (const { path, method, item } of items) {
    const named = pascal(String(item['operationId']))
    const replaced = eachSchema(parameters.replaced(item), named, (schema, name) => names.replaced(schema, name))
    paths[path] = { ...paths[path], [method]: replaced }
  }
  const all = eachSchema({ parameters: Object.values(parameters.components) }, '', (schema, name) =>
    names.replaced(schema, name),
  )
  const listed = all['parameters'] as JsonSchema[]
  return {
    paths,
    components: {
      securitySchemes,
      headers: headerComponents,
      parameters: Object.fromEntries(Object.keys(parameters.components).map((name, i) => [name, listed[i]])),
      responses: responseComponents,
      schemas: names.components(),
    },
  }
}

/** Parameters that several operations take in the same way. */
class SharedParameters {
  readonly components: Record<string, JsonSchema> = {}
  readonly #names = new Map<string, string>()

  constructor(items: readonly Item[]) {
    const seen = new Set<string>()
    for (const { item } of items)
      for (const parameter of (item['parameters'] ?? []) as JsonSchema[]) {
        const text = JSON.stringify(parameter)
        const name = pascal(String(parameter['name']))
        if (seen.has(text) && !this.#names.has(text)) {
          const free = name in this.components ? `${name}2` : name
          this.components[free] = parameter
          this.#names.set(text, free)
        }
        seen.add(text)
      }
  }

  replaced(item: JsonSchema): JsonSchema {
    if (!Array.isArray(item['parameters'])) return item
    const named = (parameter: JsonSchema): JsonSchema => {
      const name = this.#names.get(JSON.stringify(parameter))
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` }
    }
    return { ...item, parameters: item['parameters'].map(named) }
  }
}

/** An operation with each schema of its parameters, its request and its answer changed. */
function eachSchema(
  item: JsonSchema,
  name: string,
  change: (schema: JsonSchema, name: string) => JsonSchema,
): JsonSchema {
  const visit = (value: unknown, at: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => visit(each, at))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([member, part]) => {
        if (member === 'example') return [member, part]
        if (member !== 'schema') return [member, visit(part, at)]
        const { name: parameter } = value as { name?: string }
        return [member, change(part as JsonSchema, parameter === undefined ? at : pascal(parameter))]
      }),
    )
  }
  return visit(item, name) as JsonSchema
}

const pascal = (name: string): string =>
  name.replaceAll(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A document without the components that nothing in it refers to. */
export function reachable({ components, ...rest }: JsonSchema): JsonSchema {
  const all = components as Record<string, JsonSchema>
  const needed = new Set<string>()
  const visit = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
      if (needed.has(`${kind}/${name}`)) continue
      needed.add(`${kind}/${name}`)
      visit(all[kind]?.[name])
    }
  }
  visit(rest)
  const kept = Object.entries(all).map(([kind, named]) => [
    kind,
    kind === 'securitySchemes'
      ? named
      : Object.fromEntries(Object.entries(named).filter(([name]) => needed.has(`${kind}/${name}`))),
  ])
  return { ...rest, components: Object.fromEntries(kept) }
}
