import { dayOf } from '../calendar.ts'
import { RELEASE_STATES } from '../proof/catalogue/releases.ts'
import { isFiguresBody } from '../proof/figures.ts'
import { PROOF_REF } from '../proof/price/proofs.ts'
import type { Asked } from '../proof/verify.ts'
import { isAddress } from './answer-source.ts'
import { UsageFault } from './command.ts'

/** The question on the command line. */
export const QUESTION_OPTIONS = {
  cpt: { type: 'string' },
  region: { type: 'string' },
  npi: { type: 'string' },
  modifier: { type: 'string' },
  setting: { type: 'string' },
  basis: { type: 'string' },
  chart: { type: 'string' },
  'as-of': { type: 'string' },
  any: { type: 'boolean', default: false },
} as const
const PARTS = ['cpt', 'region', 'npi', 'modifier', 'setting', 'basis', 'chart'] as const

export type QuestionValues = { [part in (typeof PARTS)[number]]?: string | undefined } & {
  'as-of'?: string | undefined
  any?: boolean | undefined
}

/**
 * What was asked: the question in the address, or on the command line. An answer without its question is checked only
 * if that is asked for, because a true answer to another question proves nothing to the one who asked.
 */
export function askedOf(what: string, text: string, values: QuestionValues): Asked {
  if (values.any) return { anyQuestion: true }
  const given = Object.fromEntries(PARTS.flatMap((part) => (values[part] === undefined ? [] : [[part, values[part]]])))
  const asked = Object.keys(given).length > 0 ? { path: undefined, query: given } : questionIn(what)
  const list = listIn(asked?.path, text)
  if (list) return askedOfList(list, asked?.query ?? {}, values['as-of'])
  if (asked === undefined) {
    if (isFiguresBody(bodyOf(text)) || (isAddress(what) && FIGURES.test(new URL(what).pathname)))
      return { figures: true }
    // Changes of figures, and rows by their permalink, answer no question.
    if (isListOfChanges(text) || (isAddress(what) && PERMALINK.test(new URL(what).pathname)))
      return { anyQuestion: true }
    throw new UsageFault(
      'say what was asked, so that the answer to another question is noticed: --cpt and --as-of (and --region, --npi, --modifier, --setting, --basis), or --any to check only that it was published',
    )
  }
  const { as_of, limit: _l, offset: _o, after: _a, proof: _p, ...query } = asked.query
  const day = values['as-of'] ?? as_of ?? dayOf(Date.now())
  if (isPage(text)) {
    const { cpt, region, npi, chart } = query
    if (isSheet(text)) return { sheet: { cpt: cpt ?? '', as_of: day, region, npi } }
    return { page: { as_of: day, cpt, region, npi, chart } }
  }
  return { question: { cpt: '', ...query, as_of: day } }
}

type List = 'releases' | 'coverage' | 'history'
const LISTS: readonly [RegExp, List][] = [
  [/\/api\/releases$/, 'releases'],
  [/\/api\/coverage$/, 'coverage'],
  [/\/reference\/history$/, 'history'],
]

/** A list of releases or editions, by its address; of a file, by its members. */
function listIn(path: string | undefined, text: string): List | undefined {
  if (path !== undefined) return LISTS.find(([pattern]) => pattern.test(path))?.[1]
  const { data, timeline, proof, as_of } = bodyOf(text)
  if (timeline !== undefined) return 'history'
  if (!Array.isArray(data) || proof === undefined) return undefined
  return as_of === undefined ? 'releases' : 'coverage'
}

/** Without a question a list must be the whole one: an answer to a narrower question is then refused. */
function askedOfList(list: List, query: Record<string, string>, day: string | undefined): Asked {
  // An empty parameter is as if it were not there.
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
  const { chart, cpt, npi, region, modifier, setting, basis } = given
  const offset = Number(given['offset'] ?? 0)
  if (list === 'history') return { history: { cpt: cpt ?? '', region, npi, modifier, setting, basis, offset } }
  if (list === 'coverage')
    return { coverage: { as_of: day ?? given['as_of'] ?? dayOf(Date.now()), chart, cpt, npi, offset } }
  return { releases: { chart, state: RELEASE_STATES.find((state) => state === given['state']), offset } }
}

const LOOKUP = /\/(reference|reference\/sheet|reference\/history|api\/registry|api\/releases|api\/coverage)$/
const FIGURES = /\/api\/figures$/
const PERMALINK = /\/(rows\/[^/]+\/[0-9]+|api\/figure-changes)$/

function questionIn(what: string): { path: string; query: Record<string, string> } | undefined {
  if (!isAddress(what)) return undefined
  const { pathname, searchParams } = new URL(what)
  if (PERMALINK.test(pathname)) return undefined
  return LOOKUP.test(pathname) ? { path: pathname, query: Object.fromEntries(searchParams) } : undefined
}

const bodyOf = (text: string): Record<string, unknown> => {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
/** Whether an answer was asked for with `proof=ref`: there is nothing in it to check. */
export const isReference = (text: string): boolean =>
  (bodyOf(text)['proof'] as { type?: unknown } | undefined)?.type === PROOF_REF

const isPage = (text: string): boolean => Array.isArray(bodyOf(text)['data'])
const isSheet = (text: string): boolean => bodyOf(text)['not_held'] !== undefined
const isListOfChanges = (text: string): boolean => {
  const { data, states } = bodyOf(text)
  if (!Array.isArray(data)) return false
  return states !== undefined || data.every((item) => typeof item === 'object' && item !== null && 'seq' in item)
}
