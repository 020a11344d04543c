import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { App } from '../../src/app.ts'

export interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>
  components: Record<string, Record<string, object>>
}

interface OpenApiOperation {
  parameters?: (Parameter | Reference)[]
  responses: Record<string, OpenApiResponse | Reference>
  'x-problems'?: string[]
}

export interface Parameter {
  name: string
  schema: { pattern?: string }
}
interface OpenApiResponse {
  description: string
  content?: Record<string, { schema: object }>
}
interface Reference {
  $ref: string
}

/** Follows a reference, or returns the thing itself. */
export function resolved<T>(document: OpenApi, value: T | Reference): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/([\w-]+)$/.exec(value.$ref) ?? []
  return resolved(document, document.components[kind]?.[name] as T)
}

export async function openApiOf(app: App, name = 'get_openapi'): Promise<OpenApi> {
  const document = app.resources.find((resource) => resource.name === name)
  return JSON.parse(String(await document?.forms[0]?.render())) as OpenApi
}

/** Checks answers against the service's own OpenAPI documents; what they do not describe is a failure. */
export class Contract {
  // That the documents are sound schemas themselves is for openapi.test.ts, once.
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true, validateSchema: false })
  readonly #compiled = new Map<string, ValidateFunction>()
  readonly documents: { core: OpenApi; whole: OpenApi }

  /** The short document has the whole form of some answers that the long one only names. */
  static async of(app: App): Promise<Contract> {
    return new Contract({ core: await openApiOf(app, 'get_openapi_core'), whole: await openApiOf(app) })
  }

  constructor(documents: { core: OpenApi; whole: OpenApi }) {
    this.documents = documents
    addFormats(this.#ajv)
    for (const [name, document] of Object.entries(documents)) {
      const bases = new Set(
        JSON.stringify(document)
          .match(/(?<="allOf":\[)[^\]]*/g)
          ?.flatMap(namesIn),
      )
      const schemas = Object.entries(document.components['schemas'] ?? {}).map(([id, schema]) => [
        id,
        bases.has(id) ? { ...schema, properties: closedParts(schema)['properties'] } : closed(schema),
      ])
      this.#ajv.addSchema({ $id: name, components: { schemas: Object.fromEntries(schemas) } })
    }
  }

  /** Throws unless this answer to this request is one that the documents allow. */
  check(method: string, pathname: string, status: number, type: string | null, body: string): void {
    for (const [name, document] of Object.entries(this.documents)) {
      const path = pathOf(document, pathname)
      if (path === undefined) continue
      this.#checkAt(name, document, path, { method, status, type, body })
      return
    }
    if (![404, 414, 429, 431].includes(status)) throw new Error(`${pathname} answered ${status} and is not documented`)
  }

  #checkAt(name: string, document: OpenApi, path: string, { method, status, type, body }: Given): void {
    const item = document.paths[path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
    if (!item) {
      if (![204, 405, 429, 501].includes(status))
        throw new Error(`${method} ${path} answered ${status} and is not documented`)
      return
    }
    // The description says once, at the top, that any GET may be unchanged, and any request fail.
    if (status === 304) return
    const given = item.responses[status] ?? (status >= 400 ? item.responses['4XX'] : undefined)
    if (!given) throw new Error(`${method} ${path} answered ${status}, which is not documented`)
    if (body === '') return
    const response = resolved<OpenApiResponse>(document, given)
    const media = (type ?? '').split(';')[0] ?? ''
    const schema = response.content?.[media]?.schema
    if (!schema) throw new Error(`${method} ${path} ${status} came as ${media}, which is not documented`)
    if (!media.endsWith('json')) return
    const answer = JSON.parse(body) as { code?: string }
    const validate = this.#validator(name, `${method} ${path} ${status >= 400 ? 'refused' : status} ${media}`, schema)
    if (!validate(answer))
      throw new Error(`${method} ${path} ${status} does not match its schema: ${this.#ajv.errorsText(validate.errors)}`)
    const isKnown = codesOf(document, item, response).includes(answer.code ?? '')
    if (status >= 400 && !isKnown) throw new Error(`${method} ${path} answered ${answer.code}, which is not documented`)
  }

  #validator(document: string, name: string, schema: object): ValidateFunction {
    const known = this.#compiled.get(name)
    if (known) return known
    const text = JSON.stringify(closed(schema)).replaceAll('"#/components', `"${document}#/components`)
    const compiled = this.#ajv.compile(JSON.parse(text) as object)
    this.#compiled.set(name, compiled)
    return compiled
  }
}

interface Given {
  method: string
  status: number
  type: string | null
  body: string
}

const namesIn = (text: string): string[] => text.match(/(?<=schemas\/)\w+/g) ?? []

/** The codes that an operation may refuse with: its own, and those that the descriptions of refusals name. */
function codesOf(document: OpenApi, item: OpenApiOperation, response: OpenApiResponse): string[] {
  const common = resolved<OpenApiResponse>(document, { $ref: '#/components/responses/Refused' })
  const named = `${response.description} ${common.description}`.match(/[a-z_]+/g) ?? []
  return [...(item['x-problems'] ?? []), ...named]
}

type Schema = { [member: string]: unknown }

/** A schema whose objects have no other members than those that are listed, which the description says once, at the top. */
function closed(schema: object): Schema {
  const parts = closedParts(schema)
  const isObject = 'properties' in parts || 'allOf' in parts
  return isObject && parts['additionalProperties'] === undefined ? { ...parts, unevaluatedProperties: false } : parts
}

function closedParts(schema: object): Schema {
  return Object.fromEntries(
    Object.entries(schema).map(([name, part]) => {
      if (name === 'properties')
        return [
          name,
          Object.fromEntries(Object.entries(part as Schema).map(([each, one]) => [each, closed(one as Schema)])),
        ]
      if (name === 'items' || (name === 'additionalProperties' && typeof part === 'object'))
        return [name, closed(part as Schema)]
      if (name === 'anyOf' || name === 'oneOf') return [name, (part as Schema[]).map(closed)]
      return [name, part]
    }),
  )
}

/** The paths of each document, as expressions. */
const patterns = new WeakMap<OpenApi, [path: string, pattern: RegExp][]>()

function pathOf(document: OpenApi, pathname: string): string | undefined {
  if (pathname in document.paths) return pathname
  const known = patterns.get(document) ?? patternsOf(document)
  patterns.set(document, known)
  return known.find(([, pattern]) => pattern.test(pathname))?.[0]
}

function patternsOf(document: OpenApi): [path: string, pattern: RegExp][] {
  // OpenAPI has no word for a parameter that takes the rest of the path; the pattern of its values tells.
  const some = (path: string, name: string): string => {
    const parameters = document.paths[path]?.['get']?.parameters?.map((each) => resolved<Parameter>(document, each))
    const parameter = parameters?.find((each) => each.name === name)
    const { pattern } = resolved<{ pattern?: string }>(document, parameter?.schema ?? {})
    return pattern?.includes('/') ? '.+' : '[^/]+'
  }
  const pattern = (path: string): RegExp =>
    new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, (_, name: string) => some(path, name))}$`)
  return Object.keys(document.paths).map((path) => [path, pattern(path)])
}
