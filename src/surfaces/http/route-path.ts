import type { Operation } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import type { Mount } from './mount.ts'
import type { PathParameter, Resource } from './resource.ts'

interface Routes {
  operations: readonly Operation[]
  resources: readonly Resource[]
  mounts?: readonly Mount[]
}

export const takesRest = (name: string, parameters: readonly PathParameter[] = []): boolean =>
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

/** Names the route for the log, because the path itself is hostile text. */
export function routeNames({ operations, resources, mounts = [] }: Routes): (pathname: string) => string {
  const routes = [...operations.map(({ http }) => http), ...resources, ...mounts].map(
    (route: Pick<Resource, 'path' | 'parameters'>) => {
      const some = (_: string, name: string): string => (takesRest(name, route.parameters) ? '.+' : '[^/]+')
      return {
        path: route.path,
        fits: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, some)}$`),
      }
    },
  )
  return (pathname) => routes.find(({ fits }) => fits.test(pathname))?.path ?? 'unknown'
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']
export const methodOf = ({ method }: { method: string }): string => (METHODS.includes(method) ? method : 'other')
