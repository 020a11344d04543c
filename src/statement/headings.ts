// The words over the columns of bills, insurers' statements and estimates. Facts from insurers' guides, UB-04 and CMS-1500 instructions
// and programs that write tables; the order of the table decides where two entries fit.

export type Field =
  | 'code'
  /** Words with the code in brackets behind them. */
  | 'serviceCode'
  | 'modifier'
  | 'revenue'
  | 'place'
  | 'day'
  | 'lastDay'
  | 'units'
  /** One column or two: a service with the words that describe it, and its units. */
  | 'serviceUnits'
  | 'price'
  | 'billed'
  | 'allowed'
  | 'patient'
  /** Amounts that are told apart and not kept: discounts, payments, parts of what a patient owes. */
  | 'otherAmount'
  /** Columns of words: they may hold anything, and nothing of them is kept. */
  | 'words'
  /** Letters that lead to the diagnoses of a form. */
  | 'pointer'
  | 'claim'

const NAMES: readonly (readonly [Field, RegExp])[] = [
  [
    'words',
    /^(?:diagnosis|dx|icd(?: 10)?)(?: codes?)?$|^(?:rendering |billing |service )?(?:provider )?npi$|^(?:ndc|emg|epsdt|line|seq|id qual|service approved|see notes|notes below|approved|note)$/,
  ],
  ['place', /^(?:pos|(?:place|location) of service(?: code)?|place)$/],
  ['revenue', /^(?:rev|revenue|ub|rev cd)(?: code| cd)?$/],
  ['modifier', /^(?:procedure )?(?:mod|mods|modifiers?)(?: ?[1-5])?(?: code| cd)?$/],
  ['serviceCode', /^services? provided (?:and )?billing codes?$/],
  ['pointer', /^(?:diagnosis|dx|icd(?: 10)?) (?:pointers?|ptr)$/],
  [
    'code',
    /^(?:cpt|hcpcs|hcpc|cdt|px|proc|procedure)(?: (?:or )?(?:cpt|hcpcs|cdt))?$|^(?:(?:cpt|hcpcs|hcpc|procedure|proc|service|billing|svc|cdt|px)(?: or| and)? ){1,3}(?:codes?|cd|no|number|rates? hipps codes?)$|^codes?$/,
  ],
  ['lastDay', /^(?:(?:service|svc|statement|end) )*(?:date |dates )?(?:to|thru|through|end)(?: date)?$/],
  [
    'day',
    /^(?:dates?|days?|dos|from|(?:service |svc |serv |proc )*(?:dates?|day)(?: from)?|dates? (?:of )?(?:service|serv|svc)s?(?: provided)?(?: from)?|(?:service |svc )*from(?: date)?|(?:service|svc) start(?: date)?|post(?:ing)? date|serv date)$/,
  ],
  ['serviceUnits', /^service (?:units?|qty|quantity|count)$/],
  [
    'units',
    /^(?:(?:service|serv|line|billed|total) )*(?:units?|qty|quantity|count|unit count)(?: billed| of service| count)?$|^(?:days|hours)(?: or)? units$|^serv units$|^no of units$|^number of (?:units|services)$/,
  ],
  [
    'price',
    /^(?:unit|each|per unit)(?: (?:price|charge|rate|cost|amount))$|^(?:price|rate|cost)(?: (?:each|per unit|unit))?$|^charge per unit$/,
  ],
  [
    'otherAmount',
    /^(?:non ?covered|not covered|noncovered|non cov)(?: charges?| amount)?$|^(?:(?:plan|network|member|contractual|provider|insurance|ins|your|our|negotiated|health) )*(?:discounts?|savings|adjustments?|adj|write ?off|reductions?|rate)(?: amount| amt| reductions?)?$|^amount not (?:covered|allowed|payable)$|^not (?:allowed|payable)$/,
  ],
  [
    'otherAmount',
    /^(?:(?:plan|amount|insurance|ins|insurer|medicare|payer|we|benefit|provider|health plan|your plan|primary|other|paid) )*(?:paid|pays|payments?|benefits?)(?: by(?: your)?(?: plan| insurer| insurance| medicare| us)?| provider| you| to provider| amount| amt| at)?$|^(?:paid|payment) (?:amount|amt)$|^(?:other )?(?:insurance|carrier)(?: paid)?$/,
  ],
  [
    'otherAmount',
    /^(?:your )?(?:deductibles?|co ?pay(?:ment)?s?|co ?ins(?:urance)?s?|other)(?: amount| amt| deductible)?$|^applied to deductible$/,
  ],
  [
    'patient',
    /^(?:what |amount |total )?(?:you|you may|patient may|member may|patient|member|subscriber)(?:s)? (?:may )?(?:owes?|be billed|pays?|responsibility|balance|liability|share|cost|amount)(?: amount)?$|^(?:your|patient|member|patients|members) (?:responsibility|balance|share|total(?: costs?)?|liability|cost|portion)(?: amount)?$|^(?:maximum )?(?:amount )?you (?:may |could )?(?:be billed|owe|pay)$|^what you (?:owe|pay|may owe)$|^(?:pt|patient|mbr) (?:resp|responsibility)$/,
  ],
  [
    'allowed',
    /^(?:(?:plan|medicare|network|ins|insurance|total) )*(?:allowed|allowable|approved|eligible|covered|negotiated)(?: amount| amt| charges?| price| rate)?$|^(?:amount|charges?) (?:allowed|approved|covered|eligible)$|^medicare approved amount$/,
  ],
  [
    'billed',
    /^(?:(?:total|gross|billed|billing|line|amount|provider|your|facility|hospital|full|submitted|service|item|extended|estimated|expected|ext) )*(?:billed|charged|charges?|amount|amt|submitted|price|cost|total|fee|fees|extended)(?: amount| amt| billed| charged| by provider| by your provider| usd)?$|^(?:amount|charges?) (?:provider )?(?:billed|charged|submitted)$|^amount provider charged$|^billed by provider$|^provider (?:billed|charges|charged)$/,
  ],
  ['claim', /^(?:claim|patient control|payer control|account|acct)(?: (?:number|no|id|control number))?$/],
  [
    'words',
    /^(?:(?:service|item|procedure|charge|type|name|provided|of|your|medical|care) ?)*(?:descriptions?|desc|services?|items?|details?|provider|remarks?|notes?|see notes(?: below)?|remark codes?|claim detail|type of service|service approved)$|^department$/,
  ],
]

/** Plain words of a heading: `LineServiceDateFrom` and `Line_Service_Date_From` are `line service date from`. */
export const plainName = (name: string): string =>
  name
    .slice(0, 80)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/['\u2019]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()

/** The meaning of a heading; undefined where it has none that is known. */
export function fieldOf(name: string): Field | undefined {
  // The boxes of a UB-04 have numbers: 42 is the revenue code.
  const plain = plainName(name).replace(/^(?:fl ?)?4[2-8] (?=[a-z])/, '')
  if (plain === '' || plain.length > 60) return undefined
  return NAMES.find(([, pattern]) => pattern.test(plain))?.[0]
}

/** The field of a heading that stands over one column. */
export const oneColumn = (field: Field): Field =>
  field === 'serviceCode' ? 'code' : field === 'serviceUnits' ? 'units' : field

/** The fields of a heading where the columns were lost. */
export const asStream = (field: Field): Field[] =>
  field === 'serviceCode' ? ['words', 'code'] : field === 'serviceUnits' ? ['words', 'units'] : [field]

const MOST_WORDS_IN_HEADING = 9
const MOST_WORDS = 80

/**
 * The headings that a run of words holds, one after the other: as few as possible, from the first word on. `used` says how many words they
 * take. Text that was copied from a page has the words of neighbouring columns in one line, and those of one column in several. `known` keeps what a phrase is
 * while a text is read.
 */
export function headingsIn(
  words: readonly string[],
  known: Map<string, Field | undefined> = new Map(),
): { fields: Field[]; used: number } {
  const best: ({ fields: Field[] } | undefined)[] = [{ fields: [] }]
  let used = 0
  for (let start = 0; start < Math.min(words.length, MOST_WORDS) && start <= used; start++) {
    const before = best[start]
    if (!before) continue
    for (let end = start + 1; end <= Math.min(words.length, start + MOST_WORDS_IN_HEADING); end++) {
      const name = words.slice(start, end).join(' ')
      const isSign = end === start + 1 && plainName(name) === ''
      if (!isSign && !known.has(name)) known.set(name, fieldOf(name))
      const field = isSign ? undefined : known.get(name)
      if (field === undefined && !isSign) continue
      const fields = field === undefined ? before.fields : [...before.fields, field]
      const other = best[end]
      if (!other || fields.length < other.fields.length) best[end] = { fields }
      used = Math.max(used, end)
    }
  }
  return { fields: best[used]?.fields ?? [], used }
}
