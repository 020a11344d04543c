import { partsOf, remembered } from './remembered.ts'

/** One format of an answer. */
export interface Form {
  type: string
}

interface Range {
  type: string
  q: number
}

/** Accept, RFC 9110 12.5.1. A part that cannot be parsed is ignored. */
function ranges(accept: string): Range[] {
  return partsOf(accept).flatMap(([type = '', ...params]) => {
    const q = params.find((param) => param.startsWith('q='))?.slice(2) ?? '1'
    return /^[!#$&^_.+a-z0-9*-]+\/[!#$&^_.+a-z0-9*-]+$/.test(type) && /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q)
      ? [{ type, q: Number(q) }]
      : []
  })
}

/** The most exact range that fits decides the quality of a type. */
function quality(type: string, accepted: readonly Range[]): number {
  const [kind = ''] = type.split('/')
  for (const pattern of [type, `${kind}/*`, '*/*']) {
    const range = accepted.find((candidate) => candidate.type === pattern)
    if (range) return range.q
  }
  return 0
}

/** The form that the caller prefers; the first one if several are equal. Undefined if none is acceptable. */
export function negotiate<F extends Form>(forms: readonly F[], accept: string | null): F | undefined {
  if (accept === null || accept.trim() === '') return forms[0]
  const accepted = ranges(accept)
  const plainType = (form: F): string => form.type.split(';')[0] ?? ''
  const liked = forms.map((form) => ({ form, q: quality(plainType(form), accepted) })).filter(({ q }) => q > 0)
  return liked.reduce<(typeof liked)[number] | undefined>(
    (best, each) => (best && best.q >= each.q ? best : each),
    undefined,
  )?.form
}

/** Whether a type is named outright, and not only by a pattern. */
export const isNamed = (type: string, accept: string): boolean =>
  ranges(accept).some((range) => range.type === type && range.q > 0)

/** The number of the form that the caller prefers; undefined if none is acceptable. */
export function formChooser(forms: readonly Form[]): (accept: string | null) => number | undefined {
  const choose = remembered((accept) => ({ at: forms.indexOf(negotiate(forms, accept) as Form) }))
  return (accept) => {
    const { at } = accept === null ? { at: 0 } : choose(accept)
    return at < 0 ? undefined : at
  }
}

const OF_REFUSALS = ['application/problem+json', 'application/json', 'text/html'].map((type) => ({ type }))
const preferred = remembered((accept) => ({ isPage: negotiate(OF_REFUSALS, accept)?.type === 'text/html' }))

/** Whether a caller would rather be refused with a page than with JSON: a browser would. */
export const prefersPage = (accept: string | null): boolean => accept !== null && preferred(accept).isPage
