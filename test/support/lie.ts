import type { Manifest } from '../../src/proof/price/release.ts'
import type { AnyRow } from '../../src/proof/price/row.ts'
import { aRow, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import type { Operator } from './operator.ts'

export const LAB = { chart: 'cms-clfs' } as const
export const NEXT = {
  chart: 'cms-clfs',
  edition: '2026D',
  effective_from: '2026-10-01',
  effective_to: '2026-12-31',
} as const
export const FIRST = 'cms-clfs:2026C:1'
export const rows = [aRow({ code: '80047' }), aRow({ code: '80048' }), aRow({ code: '80050' })]

export type Lie = (operator: Operator, first: MemoryRelease) => unknown
/** Which of the things that the evidence may prove offline it proves. */
export type Proves = ('entry' | 'row' | 'row_before' | 'fork')[]

export const serving = (
  operator: Operator,
  part: string,
  answer: (response: Response) => Response | Promise<Response>,
): void => {
  operator.tamper = (path, response) => (path.includes(part) ? answer(response) : response)
}
export const gone = (): Response => new Response(null, { status: 404 })
export const flipped = async (response: Response): Promise<Response> => {
  const body = new Uint8Array(await response.arrayBuffer())
  body[body.length - 9] = (body.at(-9) as number) ^ 1
  return new Response(body)
}
export const edited =
  (from: string, to: string) =>
  async (response: Response): Promise<Response> =>
    new Response((await response.text()).replaceAll(from, to))
/** A release that no honest program makes. */
export const smuggle = ({ registry }: Operator, given: readonly AnyRow[], manifest: Partial<Manifest> = {}): void => {
  const release = new MemoryRelease(
    given,
    { ...NEXT, supersedes: FIRST, recorded_at: registry.now, ...manifest },
    false,
  )
  registry.releases.push(release)
  registry.append(release.manifest)
}
export const days = ({ registry }: Operator, count: number): void => {
  for (let day = 0; day < count; day++) registry.append()
}
