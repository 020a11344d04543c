import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { App } from '../../src/app.ts'

interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>
  components: object
}

interface OpenApiOperation {
  parameters?: { name: string; schema: { pattern?: string } }[]
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

export async function openApiOf(app: App): Promise<OpenApi> {
  const document = app.resources.find(({ name }) => name === 'get_openapi')
  return JSON.parse(String(await document?.forms[0]?.render())) as OpenApi
}

/** Checks answers against the service's own OpenAPI document; what it does not describe is a failure. */
export class Contract {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(readonly document: OpenApi) {
    addFormats(this.#ajv)
    this.#ajv.addSchema({ $id: 'openapi', components: document.components })
  }

  /** Throws unless this answer to this request is one the document allows. */
  check(method: string, pathname: string, status: number, type: string | null, body: string): void {
    const path = this.#pathOf(pathname)
    if (path === undefined) {
      if (![404, 414, 429, 431].includes(status))
        throw new Error(`${pathname} answered ${status} and is not documented`)
      return
    }
    const item = this.document.paths[path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
    if (!item) {
      if (![204, 405, 429].includes(status))
        throw new Error(`${method} ${path} answered ${status} and is not documented`)
      return
    }
    const response = item.responses[status]
    if (!response) throw new Error(`${method} ${path} answered ${status}, which is not documented`)
    if (body === '') return
    const media = (type ?? '').split(';')[0] ?? ''
    const schema = response.content?.[media]?.schema
    if (!schema) throw new Error(`${method} ${path} ${status} came as ${media}, which is not documented`)
    if (!media.endsWith('json')) return
    const validate = this.#validator(`${method} ${path} ${status} ${media}`, schema)
    if (!validate(JSON.parse(body)))
      throw new Error(`${method} ${path} ${status} does not match its schema: ${this.#ajv.errorsText(validate.errors)}`)
  }

  #pathOf(pathname: string): string | undefined {
    const paths = Object.keys(this.document.paths)
    // OpenAPI has no word for a parameter that takes the rest of the path; the pattern of its values tells.
    const some = (path: string, name: string): string => {
      const parameter = this.document.paths[path]?.['get']?.parameters?.find((each) => each.name === name)
      return parameter?.schema.pattern?.includes('/') ? '.+' : '[^/]+'
    }
    const pattern = (path: string): RegExp =>
      new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, (_, name: string) => some(path, name))}$`)
    return paths.find((path) => path === pathname) ?? paths.find((path) => pattern(path).test(pathname))
  }

  #validator(name: string, schema: object): ValidateFunction {
    const known = this.#compiled.get(name)
    if (known) return known
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')) as object
    const compiled = this.#ajv.compile(absolute)
    this.#compiled.set(name, compiled)
    return compiled
  }
}
