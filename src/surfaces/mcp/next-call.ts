import type { Problem, ProblemCode } from '../../problem.ts'

// The next call after a refusal. An agent that learns only what was wrong tries again with guesses.

const SHEET = 'Next: call code_sheet with the same cpt, region and as_of to see everything that exists for it.'
const COVERAGE = 'Next: call coverage with the same cpt to see where it has prices.'

const NEXT: { readonly [code in ProblemCode]?: string } = {
  not_on_schedule: COVERAGE,
  region_not_covered: COVERAGE,
  modifier_not_allowed: 'Next: call lookup_price without the modifier.',
  no_edition_for_day: 'Next: lookup_price for a day that is held, or price_history: say that it is another day.',
  region_ambiguous:
    'Next: call the same tool with the ZIP code of the place as region, or with a region from `about.choices`.',
  unknown_zip: 'Next: call the same tool with a state or a locality as region.',
  invalid_npi: 'Next: call the same tool with the ten digits of the NPI; coverage lists the hospitals that there are.',
  unknown_provider:
    'Next: call lookup_price without npi for the Medicare reference price; coverage lists the hospitals that there are.',
  provider_not_found: 'Next: check the NPI; do not try others.',
  release_not_found: 'Next: call price_history or browse_registry for the releases that exist.',
  row_not_found: 'Next: take `proof.href` of an answer of lookup_price.',
  not_on_mirror: 'Next: ask the service that is mirrored; its address is in `service` if it is known.',
  insufficient_scope: 'Next: use a tool without a scope, or ask the operator for a key with this scope.',
}
const CREDENTIAL =
  'Next: get a rails token (challenge, then attest: see the resource of the rails policy) and send it as X-Agent-Rails or Bearer; lookup_price and the other public tools need none.'

const LINE = '{"cpt": "99213", "modifier": "25", "units": 1, "billed": "300.00", "region": "94102"}'
const OTHER_NAMES: { readonly [tool: string]: string } = {
  lookup_price: 'units and amounts billed go into the lines of price_bill',
  price_bill: `each line is as ${LINE}`,
}

/** Advice that depends on the call that was refused. */
function ofCall({ code, extra }: Problem, { name, takes }: ToolCall): string | undefined {
  if (code === 'modifier_not_priced')
    return 'Next: call lookup_price with the modifier that stands on the bill, one of `about.available.modifiers`; without a bill, say beside the amount which one you took.'
  if (code === 'invalid_cpt')
    return takes.includes('modifier')
      ? `Next: call ${name} with five characters as cpt, or with a prefix as DRG-470; what follows a hyphen goes into \`modifier\`.`
      : `Next: call ${name} with the five characters of the code alone as cpt: it takes no modifier, and its answer names those that the code has.`
  // The sheet of a state has all its localities: what is left open is where in a ZIP code the address lies.
  if (code === 'region_ambiguous' && name === 'code_sheet')
    return 'Next: call code_sheet with the state or the Medicare locality of the address as region, such as CA or US-CA-05; `about.choices` of lookup_price with the same region has those around it.'
  return code !== 'unknown_parameter' && extra.errors?.[0]?.name === 'lines'
    ? `Next: call ${name} with a list as lines, even for one of them, and each of them an object: [${LINE}].`
    : undefined
}

/** The newest period of each chart that the answer needs, for those who see the text alone. */
function periodsIn({ extra }: Problem): string {
  const { charts = [], last_known } = (extra.members ?? {}) as {
    charts?: { chart: string; held: { from: string; to: string }[] }[]
    last_known?: unknown
  }
  // Its sentence has the last day of its edition.
  if (last_known) return ''
  const held = charts.flatMap(({ chart, held }) => held.slice(-1).map(({ from, to }) => `${chart} ${from} to ${to}`))
  return held.length === 0 ? '' : ` Held: ${held.join(', ')}.`
}

interface ToolCall {
  name: string
  /** The names of its arguments. */
  takes: readonly string[]
}

/** Names the next call after a refusal of this tool. */
export function nextCall(problem: Problem, called: ToolCall): string {
  const { code, entry, extra, hint } = problem
  const { name: tool } = called
  if (hint !== entry.hint) return `Next: ${hint}`
  const own = ofCall(problem, called)
  if (own !== undefined) return own
  const known = NEXT[code]
  if (known !== undefined) return known + (code === 'no_edition_for_day' ? periodsIn(problem) : '')
  if (code === 'unknown_parameter')
    return `Next: call ${tool} with these names alone; ${OTHER_NAMES[tool] ?? 'leave out what has none'}.`
  if (code.startsWith('absent_')) return SHEET
  if (entry.kind === 'unauthenticated') return CREDENTIAL
  if (extra.retryAfterSeconds !== undefined) return `Next: call ${tool} again after ${extra.retryAfterSeconds} seconds.`
  return entry.kind === 'invalid'
    ? `Next: call ${tool} again with the arguments corrected.`
    : `Next: call ${tool} again later.`
}
