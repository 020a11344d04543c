/**
 * The action on a line or row that breaks a rule: it is refused, its price is withheld, or it is only counted. What is
 * refused under a code that can be read stays in the release, as an absence without a price.
 */
export type Severity = 'reject' | 'withhold' | 'flag'

export interface Rule {
  severity: Severity
  threshold: string
  version: string
  meaning: string
}

const rule = (severity: Severity, threshold: string, meaning: string): Rule => ({
  severity,
  threshold,
  version: '1.0.0',
  meaning,
})

/**
 * The rules for rows. R02, R03, R03_field, R09, R10 and R14 are judged where a source is read, R04 to R08 while its rows
 * are staged, R12 against the edition before, and R01 by re-deriving what is stored. W01 to W06 warn of a source as a
 * whole, or beside others of its edition; `not_cpt`, `R03_other_code` and `no_amount` count lines that this registry is
 * not about, and `other_payer` rates of payers that the table does not know. R11 is about the editions of a chart: see `periodConflicts`.
 */
export const RULES = {
  R01: rule('reject', 'every row in its release\u2019s tree', 'A stored row does not hash into its published tree'),
  R02: rule('reject', '> 0, not 999999 or more nines', 'An amount or factor is not a valid number'),
  R03: rule('reject', 'shape of a CPT or HCPCS code', 'The code does not have the form of a CPT or HCPCS code'),
  R03_field: rule(
    'reject',
    'shape of a modifier, status or setting',
    'The code can be read, and its modifier, status or setting cannot',
  ),
  R04: rule('flag', '0.2..10', 'The ratio to the Medicare price for the same code, modifier and setting is unusual'),
  R05: rule(
    'flag',
    '0.05..50, at most 1,000,000.00',
    'The amount is far from Medicare\u2019s, or very large by itself',
  ),
  R06: rule('flag', '>= 1.00 unless a drug', 'A service costs less than a dollar'),
  R07: rule('flag', '5 x 1.4826 x MAD of logs, >= 11 peers', 'The price is far from that of other hospitals'),
  R08: rule(
    'flag',
    'cash <= gross, lowest <= rates <= highest',
    'Cash is above gross, or a negotiated rate lies outside the lowest and the highest',
  ),
  R08_min_max: rule('withhold', 'lowest <= highest', 'Every lowest negotiated price is above every highest one'),
  R09: rule('flag', 'one line a key', 'The source repeats the same price under the same key'),
  R10: rule('withhold', 'one price a key', 'The source has different prices under the same key'),
  R12: rule('flag', '25 % (schedule), 100 % (hospital)', 'The price changed much since the previous edition'),
  R14: rule('reject', 'within the edition', 'The source gives a row a date outside its edition'),
  malformed: rule('reject', 'a whole record', 'A record of the source cannot be read'),
  not_cpt: rule(
    'flag',
    'a code of a kind that is held',
    'A line has no code but those of kinds that are not held, such as a charge code of the hospital\u2019s own',
  ),
  R03_other_code: rule(
    'flag',
    'a CPT or HCPCS code',
    'A line has no code but a number of another kind than its type says, such as a chargemaster\u2019s typed as a CPT or HCPCS code',
  ),
  other_payer: rule(
    'flag',
    'a payer of the table',
    'A payer is not in the table of payers, and has an id made of the digest of its name',
  ),
  no_amount: rule('flag', 'an amount in dollars', 'A line has a percentage, a formula or nothing in place of a price'),
  W01: rule(
    'flag',
    '109 localities, 112 before 2024',
    'The GPCI file has another number of localities than usual, or one that is not known',
  ),
  W02: rule('flag', 'the same cent', 'A price differs from the one CMS lists in its OPPSCAP file'),
  W03: rule('flag', 'the least that an edition has had', 'The source has far fewer lines than any edition has had'),
  W04: rule('flag', 'one year', 'The GPCI file is of another year than the PPRRVU file'),
  W05: rule('flag', 'a published factor', 'The conversion factor is not one that CMS published for the year'),
  W06: rule('flag', 'total = work + practice + malpractice', 'The printed total is not the sum of its parts'),
  W07: rule(
    'flag',
    'confirmed',
    'The hospital does not confirm that its file is true and complete (the attestation says false): ask it for a confirmed file, or compare a sample before publishing',
  ),
  W08: rule(
    'flag',
    '2.0, 2.1, 2.2 or 3.0',
    'The file names a version of the CMS template that is not known here: check a sample of its prices, or ask the hospital for its current file',
  ),
  W09: rule(
    'flag',
    'the names of the template',
    'A column or a member has a name like that of an amount and is not known here, so it is not read: look at the names, and ask the hospital for its current file if prices are missing',
  ),
  W10: rule(
    'flag',
    'the columns HCPCS, Mod, Mod2, Mod3, CATG and one for each area',
    'The file of fees of former bidding areas has other columns and is not read: equipment there has the amount of the state',
  ),
  W11: rule(
    'flag',
    'each file is of use',
    'A file that was given is none of those that the schedule is made of, as far as its columns say, and is not read: look whether it is one that is missing',
  ),
  W12: rule(
    'flag',
    'a word of the list',
    'A reason or a note is none that is known here: the edit is read, and its reason is not said',
  ),
  W13: rule(
    'flag',
    'rows that every edition has',
    'A row that every edition of the chart has is missing or has another value: it may be another file, or its columns have moved',
  ),
  old_edit: rule(
    'flag',
    'two years before the edition',
    'An edit ended more than two years before the edition, and is left out',
  ),
} as const satisfies Record<string, Rule>
export type RuleId = keyof typeof RULES

export const ruleOf = (id: string): Rule => {
  const known: Record<string, Rule> = RULES
  const found = known[id]
  if (!found) throw new Error(`there is no rule ${id}`)
  return found
}

/** How often a rule was broken in one source: exact counts, the first few places, never the values. */
export interface Finding {
  count: number
  lines: number[]
  keys?: string[]
  /** How many were judged; where it is not said, every row that the source states. */
  evaluated?: number
}
export type Findings = Map<string, Finding> & {
  /** Told of every break of a rule as it is found: only the first few are kept. */
  onNote?: ((found: BrokenRule) => void) | undefined
}

/** Where a rule was broken, never the value that broke it. */
export interface BrokenRule {
  rule: string
  line: number | undefined
  key: string | undefined
}

const SAMPLE_LINES = 20
const SAMPLE_KEYS = 5

/** Findings of a rule so far; a rule that was not judged yet starts at none. */
export function findingOf(findings: Findings, id: string): Finding {
  const known = findings.get(id)
  if (known) return known
  const fresh: Finding = { count: 0, lines: [] }
  findings.set(id, fresh)
  return fresh
}

/** Counts one break of a rule, and for the first few where: by line and key, never with the value that broke it. */
export function note(findings: Findings, id: string, line: number | undefined, key?: string): void {
  const finding = findingOf(findings, id)
  findings.onNote?.({ rule: id, line, key })
  finding.count++
  if (line !== undefined && finding.lines.length < SAMPLE_LINES) finding.lines.push(line)
  if (key === undefined) return
  finding.keys ??= []
  if (finding.keys.length < SAMPLE_KEYS) finding.keys.push(key)
}

/** The lines that were refused: most stand in the release as absences. */
export const rejectedIn = (findings: Findings): number =>
  [...findings].reduce((sum, [id, { count }]) => sum + (ruleOf(id).severity === 'reject' ? count : 0), 0)

/** The rule that counts the pairs of codes that are left out. */
export const OLD_EDIT: RuleId = 'old_edit'

/** Rules that refuse a line whose code cannot be read. What any other rule refuses stays in the release, as an absence. */
export const WITHOUT_CODE: readonly string[] = ['R03', 'malformed']

/** How many lines of a source state something under a code that nobody can read. */
export const unreadableIn = (findings: Findings): number =>
  WITHOUT_CODE.reduce((sum, id) => sum + (findings.get(id)?.count ?? 0), 0)
