import { Problem } from '../../problem.ts'
import type { PathParameter, Resource } from './resource.ts'

const takesRest = (name: string, parameters: readonly PathParameter[] = []): boolean =>
  parameters.some((parameter) => parameter.name === name && parameter.rest)

/** The values of the path parameters. A value that a parameter does not accept means that the path does not exist. */
export function parameterValues(
  { path, parameters = [] }: Resource,
  pathname: string,
  read: Record<string, string>,
): string[] {
  const before = path.split('/').length - 1
  return parameters.map(({ name, values, pattern, rest }) => {
    // Clients that are generated from the OpenAPI document send the slashes of a parameter percent-encoded.
    const tail = (): string => pathname.split('/').slice(before).join('/')
    const value = rest ? tail().replaceAll(/%2f/gi, '/') : (read[name] ?? '')
    const isListed = values === undefined || values.includes(value)
    if (!isListed || (pattern !== undefined && !new RegExp(pattern).test(value))) throw new Problem('route_not_found')
    return value
  })
}

/** A route: by method, what answers. */
export interface Route<Answer> {
  /** The documented path, which names the route in the log: the path of a request is hostile text. */
  path: string
  methods: Map<string, Answer>
}

interface Pattern<Answer> {
  route: Route<Answer>
  fits: RegExp
  names: string[]
}

/** Every route of a service. A path without parameters is found at once, and before those with parameters that would fit it. */
export class RouteTable<Answer> {
  readonly #plain = new Map<string, Route<Answer>>()
  readonly #patterns: Pattern<Answer>[] = []
  readonly #all = new Map<string, Route<Answer>>()

  add(method: string, { path, parameters }: Pick<Resource, 'path' | 'parameters'>, answer: Answer): void {
    const known = this.#all.get(path)
    if (known) {
      known.methods.set(method, answer)
      return
    }
    const route = { path, methods: new Map([[method, answer]]) }
    this.#all.set(path, route)
    const names: string[] = []
    const pattern = path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      names.push(name)
      return takesRest(name, parameters) ? '(.+)' : '([^/]+)'
    })
    if (names.length === 0) this.#plain.set(path, route)
    else this.#patterns.push({ route, fits: new RegExp(`^${pattern}$`), names })
  }

  /** With the values of its parameters, if there is one for this path. */
  find(pathname: string): { route: Route<Answer>; values: Record<string, string> } | undefined {
    const plain = this.#plain.get(pathname)
    if (plain) return { route: plain, values: {} }
    for (const { route, fits, names } of this.#patterns) {
      const [, ...found] = fits.exec(pathname) ?? []
      if (found.length > 0)
        return { route, values: Object.fromEntries(names.map((name, at) => [name, decoded(found[at] as string)])) }
    }
    return undefined
  }

  /** In the order in which they were added. */
  list(): { method: string; path: string }[] {
    return [...this.#all.values()].flatMap(({ path, methods }) =>
      [...methods.keys()].map((method) => ({ method, path })),
    )
  }
}

/** Decodes a value. A value with invalid encoding is left as it is: no parameter accepts it. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']
export const methodOf = ({ method }: { method: string }): string => (METHODS.includes(method) ? method : 'other')
