import { ABSENCES, type AbsenceReason } from './tables/reasons.ts'
import { REFUSALS, type RefusalReason } from './tables/service-reasons.ts'

/** The kind of a refusal. Each surface maps the kinds once, to a status or an exit code. */
export type Kind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method'
  | 'not_implemented'
  | 'not_acceptable'
  | 'precondition'
  | 'conflict'
  | 'too_large'
  | 'uri_too_long'
  | 'media_type'
  | 'headers_too_large'
  | 'limited'
  | 'fault'
  | 'unavailable'

export interface Entry {
  kind: Kind
  title: string
  /** Advice for an agent about what to do next. */
  hint: string
  /** An explanation for people who are not billers, for the page of the code. */
  meaning?: string
}

const STATED =
  'The schedule states that there is no price; the member `row` is that statement with its proof. Do not invent a price.'
const NOT_SHOWN =
  'The service does not show the price in the source; the member `row` says why, with its proof. Do not invent a price.'

/** An entry for a schedule that states no price. `meaning` is written for patients. */
const absent = (reason: AbsenceReason, meaning: string, hint = STATED): Entry => ({
  kind: 'not_found',
  title: ABSENCES[reason].says,
  meaning,
  hint,
})
const refused = (reason: RefusalReason, hint: string): Entry => ({
  kind: 'not_found',
  title: REFUSALS[reason].says,
  hint,
})

/** The refusals of lookups. */
export const PRICE_PROBLEMS = {
  absent_bundled: absent(
    'bundled',
    'Medicare treats this item as included in another service on the bill. A separate charge for it has no Medicare price to compare with: ask which service it belongs to.',
  ),
  absent_algorithm_only: absent(
    'algorithm_only',
    'The hospital and this insurer agreed on a formula, and the hospital\u2019s file states no amount. Ask the insurer what it allows for this service at this hospital.',
  ),
  absent_conditionally_packaged: absent(
    'conditionally_packaged',
    'Medicare usually includes this item in the payment for another hospital service of the same day. Ask which service it was billed with.',
  ),
  absent_carrier_priced: absent(
    'carrier_priced',
    'There is no published amount: the regional Medicare contractor sets it. The contractor for your area can tell you the amount.',
  ),
  absent_paid_elsewhere: absent(
    'paid_elsewhere',
    'This list does not cover the item, but another Medicare list may. The answer also shows which lists have it.',
  ),
  absent_not_covered: absent(
    'not_covered',
    'This Medicare list says that it does not pay for this service. Another Medicare list may, if one is shown beside this. Other insurers may too; their price is not known here.',
  ),
  absent_not_valid: absent(
    'not_valid',
    'Medicare does not accept this code here; another code is used for the same service. Ask the provider which code applies.',
  ),
  absent_inpatient_only: absent(
    'inpatient_only',
    'Medicare pays for this service only during a hospital stay, so there is no outpatient price.',
  ),
  absent_anesthesia: absent(
    'anesthesia',
    'The price depends on how long the anesthesia took. Ask for the base units, the minutes and the factor per unit: the lookup with basis=medicare_anesthesia has the factor.',
    'If `about.available.bases` has medicare_anesthesia, ask with it for the factor per unit, without a modifier. The amount also needs base units and minutes.',
  ),
  absent_not_applicable_in_setting: absent(
    'not_applicable_in_setting',
    'Medicare has no price for this service in this kind of place, because it is rarely or never done there. Ask about the other setting.',
  ),
  absent_no_price_stated: absent(
    'no_price_stated',
    'The code is on the list, and the publisher left the price empty or zero. Zero does not mean that it is free.',
  ),
  absent_unreadable: absent(
    'unreadable',
    'The published file has this code, but the amount beside it is damaged or impossible. The answer names the file, the line and the rule.',
    NOT_SHOWN,
  ),
  absent_withheld_conflict: absent(
    'withheld_conflict',
    'The published file contradicts itself about this price, so none is given. The answer names the lines.',
    NOT_SHOWN,
  ),
  not_on_schedule: refused(
    'not_on_schedule',
    '`about.available` lists what there is for the code. Check code, region, modifier and setting; do not invent a price.',
  ),
  no_edition_for_day: refused(
    'no_edition_for_day',
    'Ask for a day in a period of `charts`, or have the edition loaded. Never use a price of another period, such as `last_known`.',
  ),
  modifier_not_priced: refused(
    'modifier_not_priced',
    '`about.available` lists the modifiers of this code, if it has any. Ask with one of those, or, if there are none, without a modifier, and say so beside the amount.',
  ),
  modifier_not_allowed: refused('modifier_not_allowed', 'Ask without the modifier, and do not adjust the amount.'),
  unknown_provider: refused(
    'unknown_provider',
    'Ask without `npi` for the Medicare reference price; do not present that as the hospital\u2019s price.',
  ),
  payer_not_listed: refused(
    'payer_not_listed',
    'Take a payer from `about.available.payers`, if it is the one of the patient. Another payer\u2019s rate, and the lowest or highest of all, is not this payer\u2019s: do not show it as such.',
  ),
  payer_ambiguous: refused(
    'payer_ambiguous',
    'Ask with the kind of plan of the patient, as `about.available.payers` has it, such as `aetna/commercial`. Do not choose one for them.',
  ),
  row_not_found: refused('row_not_found', 'Take the permalink from the member `proof.href` of an answer.'),
  unknown_zip: refused(
    'unknown_zip',
    'Check the ZIP code, or ask with a Medicare locality as `US-XX-LL`, a state as `US-XX`, or `national`.',
  ),
  region_ambiguous: refused(
    'region_ambiguous',
    'Ask again with the ZIP code of the place, or with a region from `about.choices`.',
  ),
  region_too_large: refused(
    'region_too_large',
    'Ask with a ZIP code in place of a state: it stands for the area of its first three digits.',
  ),
  region_not_covered: refused(
    'region_not_covered',
    'Take a region from `about.available` or from /api/coverage, and say which one you took; do not present its price as this region\u2019s.',
  ),
} as const satisfies Record<string, Entry>

/** All refusals of the service. Codes are stable: they are never renamed, only added. */
export const PROBLEMS = {
  invalid_request: {
    kind: 'invalid',
    title: 'The request does not have the form this route accepts',
    hint: 'Compare the request with /api/openapi.json and send it again, corrected.',
  },
  missing_parameter: {
    kind: 'invalid',
    title: 'A required parameter is missing',
    hint: 'Add the parameter named in `errors` and send the request again.',
  },
  invalid_parameter: {
    kind: 'invalid',
    title: 'A parameter has a value this route does not accept',
    hint: 'Correct the parameter named in `errors` and send the request again. No value is corrected for you.',
  },
  unknown_parameter: {
    kind: 'invalid',
    title: 'The request has a parameter this route does not know',
    hint: 'Send the value under one of the names that `errors` lists, or leave it out.',
  },
  duplicate_parameter: {
    kind: 'invalid',
    title: 'A parameter is given more than once',
    hint: 'Send each parameter once; several modifiers are one parameter, as `26-59`.',
  },
  invalid_cpt: {
    kind: 'invalid',
    title: 'The code does not have the shape of a code',
    hint: 'Send the five characters of a CPT or HCPCS code, or one of another kind with its prefix: `DRG-470`, `APR-302.3`, `RC-0450`, `APC-5012`, `NDC-` and eleven digits. Modifiers go into the parameter `modifier`, where there is one.',
  },
  invalid_region: {
    kind: 'invalid',
    title: 'The region is malformed or unknown',
    hint: 'Use `national`, a state as `US-CA` or `CA`, a Medicare locality as `US-CA-05`, or a ZIP code as `94102` or `94102-1234`.',
  },
  invalid_npi: {
    kind: 'invalid',
    title: 'The NPI is malformed or its check digit is wrong',
    hint: 'Send the ten digits of a National Provider Identifier; do not guess one.',
  },
  invalid_json: {
    kind: 'invalid',
    title: 'The body is not acceptable JSON',
    hint: 'Send one JSON object in UTF-8: no duplicate members, at most 32 levels deep.',
  },
  nonce_invalid: {
    kind: 'invalid',
    title: 'The nonce cannot be used with this key',
    hint: 'Ask for a new nonce at /api/agent-rails/challenge and attest it within 120 seconds.',
  },
  nonce_already_used: {
    kind: 'invalid',
    title: 'The nonce was used before; the token made from it is now revoked',
    hint: 'A nonce can be used once: ask for a new one. If you sent it only once, your key may be compromised: ask the operator to rotate it.',
  },
  unsupported_grant_type: {
    kind: 'invalid',
    title: 'This grant type is not offered',
    hint: 'Send grant_type=client_credentials.',
  },
  invalid_scope: {
    kind: 'invalid',
    title: 'A scope is unknown',
    hint: 'Ask for scopes of /api/agent-rails/policy, separated by one space, or leave `scope` out.',
  },
  invalid_target: {
    kind: 'invalid',
    title: 'The token was asked for another service',
    hint: 'Send the `resource` that /.well-known/oauth-protected-resource names, or leave it out.',
  },
  conflicting_credentials: {
    kind: 'invalid',
    title: 'Two different rails tokens were sent',
    hint: 'Send the token in X-Agent-Rails or in Authorization, or the same one in both.',
  },
  agent_key_missing: {
    kind: 'unauthenticated',
    title: 'This route needs an agent key',
    hint: 'Send the header X-Agent-Key. Keys are issued by the operator of the service.',
  },
  agent_key_invalid: {
    kind: 'unauthenticated',
    title: 'The agent key is not valid',
    hint: 'Check the key for missing characters; if it is complete, ask the operator for a new one.',
  },
  proof_required: {
    kind: 'unauthenticated',
    title: 'This key must also sign the nonce',
    hint: 'Send `proof`: the base64url Ed25519 signature described in /api/agent-rails/policy.',
  },
  proof_invalid: {
    kind: 'unauthenticated',
    title: 'The signature over the nonce does not verify',
    hint: 'Sign exactly the lines described in /api/agent-rails/policy with the key registered for this agent.',
  },
  rails_token_missing: {
    kind: 'unauthenticated',
    title: 'This route needs a rails token',
    hint: 'Follow the four steps of /api/agent-rails/policy and send the token in X-Agent-Rails.',
  },
  rails_token_required: {
    kind: 'unauthenticated',
    title: 'This route takes a rails token, not an agent key',
    hint: 'Exchange the key for a token: challenge, then attest. Never send the key to other routes.',
  },
  rails_token_invalid: {
    kind: 'unauthenticated',
    title: 'The rails token is not valid',
    hint: 'Ask for a new nonce and attest again.',
  },
  rails_token_expired: {
    kind: 'unauthenticated',
    title: 'The rails token has expired',
    hint: 'Ask for a new nonce and attest again; a token lives 900 seconds.',
  },
  insufficient_scope: {
    kind: 'forbidden',
    title: 'The credential lacks the scope this route needs',
    hint: 'The member `required_scopes` lists the scopes you need; ask the operator for a key that has them.',
  },
  origin_not_allowed: {
    kind: 'forbidden',
    title: 'Pages of this origin may not use this endpoint',
    hint: 'Call it from a program, which sends no Origin header, or ask the operator to add the origin to MCP_ALLOWED_ORIGINS.',
  },
  route_not_found: {
    kind: 'not_found',
    title: 'There is nothing at this path',
    hint: 'Read /api/openapi.json for the paths that exist.',
  },
  ...PRICE_PROBLEMS,
  provider_not_found: {
    kind: 'not_found',
    title: 'The provider directory does not have this NPI',
    hint: 'Check the NPI; only organisations are listed.',
  },
  release_not_found: {
    kind: 'not_found',
    title: 'No release has this name',
    hint: 'Take a `release_id` from /api/releases.',
  },
  method_not_allowed: {
    kind: 'method',
    title: 'The path does not accept this method',
    hint: 'Use a method listed in `allowed_methods` and in the Allow header.',
  },
  not_on_mirror: {
    kind: 'not_implemented',
    title: 'This is a read-only mirror, which does not have this',
    hint: 'Ask the service that is mirrored: its address is in `service` if it is known. A mirror issues no keys and no tokens.',
  },
  method_not_implemented: {
    kind: 'not_implemented',
    title: 'The service does not know this method',
    hint: 'Use GET, HEAD, POST or OPTIONS, as /api/openapi.json says for each path.',
  },
  not_acceptable: {
    kind: 'not_acceptable',
    title: 'The answer does not exist in a format that the Accept header allows',
    hint: 'Accept one of the types in `available_types`, or leave the Accept header out.',
  },
  precondition_failed: {
    kind: 'precondition',
    title: 'The answer is no longer the one that If-Match names',
    hint: 'Leave the If-Match header out to get the answer as it is now.',
  },
  payload_too_large: {
    kind: 'too_large',
    title: 'The body is too large',
    hint: 'Send at most 16 KiB, or 64 KiB where the route takes a list.',
  },
  uri_too_long: {
    kind: 'uri_too_long',
    title: 'The address is too long',
    hint: 'Send at most 4 KiB of path and query.',
  },
  unsupported_media_type: {
    kind: 'media_type',
    title: 'The body must be JSON, and not compressed',
    hint: 'Send Content-Type: application/json, without Content-Encoding.',
  },
  headers_too_large: {
    kind: 'headers_too_large',
    title: 'The headers are too large',
    hint: 'Send at most 16 KiB of headers.',
  },
  rate_limited: {
    kind: 'limited',
    title: 'Too many requests: the quota is used up',
    hint: 'Wait as many seconds as Retry-After says. The RateLimit header shows what is left.',
  },
  internal_error: {
    kind: 'fault',
    title: 'The service failed',
    hint: 'Try again later. If it fails again, give the operator the `request_id`.',
  },
  unavailable: {
    kind: 'unavailable',
    title: 'The service cannot answer now',
    hint: 'Try again after as many seconds as Retry-After says.',
  },
  failed_verification: {
    kind: 'unavailable',
    title: 'What was asked for failed its verification, and is not served until the operator has repaired it',
    hint: 'Do not ask again, and do not use an older answer as if it were confirmed: tell the operator. Everything else is served. Operator: `atr fsck` says what is wrong; restore the file from a backup.',
  },
  proof_block_missing: {
    kind: 'conflict',
    title: 'A row without a valid proof block was refused',
    hint: 'Run `atr fsck`, then load the source again.',
  },
  source_unreadable: {
    kind: 'invalid',
    title: 'The source file cannot be read as a file of the kind you named',
    hint: 'Check that the kind is right and that this is the file the publisher offers. If it is damaged, download it again.',
  },
  release_conflict: {
    kind: 'conflict',
    title: 'The release is not in a state that allows this',
    hint: 'Run `atr release list` to see the state of every release.',
  },
  load_in_progress: {
    kind: 'conflict',
    title: 'Another process is loading the same edition',
    hint: 'Wait until it is done, or stop it and load again: the next load removes what a stopped one left.',
  },
  load_stopped: {
    kind: 'conflict',
    title: 'The load was stopped before its end',
    hint: 'The message says why. Raise the limit that it names if the file is right, then load again.',
  },
  release_held: {
    kind: 'conflict',
    title: 'The release exceeds a limit of the breaker and was not published',
    hint: 'Run `atr release check` to see why. If the release is right, publish it with --override and --reason for each limit that is named.',
  },
  outcomes_refused: {
    kind: 'invalid',
    title: 'The outcomes file was refused; nothing was changed',
    hint: 'Correct the lines and columns that are named, then run the command again. Messages never repeat a value.',
  },
  figures_held: {
    kind: 'conflict',
    title: 'The figures cannot be released as they are',
    hint: 'The message says what is missing. For exact figures, `atr figures audit` shows which counts could be worked out.',
  },
  unknown_key: {
    kind: 'not_found',
    title: 'There is no agent key with this id',
    hint: 'Run `atr keys list` to see the ids.',
  },
} as const satisfies Record<string, Entry>

export type ProblemCode = keyof typeof PROBLEMS

/** Advice for parameters with a malformed value. */
const PARAMETER_HINTS: Readonly<Record<string, string | undefined>> = {
  as_of: 'Send the date of service as 2026-07-15, or leave it out for today.',
  modifier: 'Send 26, or 26-59 for several; leave it out if the bill has none.',
  setting:
    'Send non_facility for an office or a home, facility for the doctor\u2019s fee in a hospital, outpatient for what the hospital itself is paid, asc for a surgery center; or leave it out.',
  basis:
    'Leave it out for the usual price. hospital_cash and hospital_gross are prices of one hospital and need its npi.',
  units: 'Send a whole number without quotes, as 4.',
  billed: 'Send dollars and cents in quotes, as "300.00": no sign, no comma, two decimals.',
}

export interface FieldError {
  /** The part of the request with the parameter. Only surfaces know it and set it. */
  in?: 'query' | 'path' | 'body' | 'header'
  /** The documented name of the parameter; left out if the caller sent an unknown name. */
  name?: string
  code: ProblemCode
  message: string
}

export interface ProblemExtra {
  errors?: FieldError[]
  /** Further members of the problem document, never with text of the caller. */
  members?: Record<string, unknown>
  /** How long to wait before asking again. */
  retryAfterSeconds?: number
  /** The kind of credential that is accepted, and the scopes it needs. */
  authenticate?: { scheme: 'AgentRails' | 'AgentKey'; scopes: readonly string[] }
  /** Replaces the hint of the catalogue if that would contradict the rest of this answer. */
  hint?: string
  cause?: unknown
}

/** A refusal. `detail` is for the caller and never repeats what the caller sent; `cause` is for the log. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly detail: string
  readonly extra: ProblemExtra

  constructor(code: ProblemCode, detail?: string, extra: ProblemExtra = {}) {
    super(code, extra.cause === undefined ? undefined : { cause: extra.cause })
    this.code = code
    this.detail = detail ?? PROBLEMS[code].title
    this.extra = extra
  }

  /** A refusal of a parameter that has the documented form, but does not fit the rest of the request. */
  static parameter(name: string, message: string): Problem {
    return new Problem('invalid_parameter', message, { errors: [{ name, code: 'invalid_parameter', message }] })
  }

  get entry(): Entry {
    return PROBLEMS[this.code]
  }

  /** Advice for the caller about what to do next. */
  get hint(): string {
    const parameter = this.code === 'invalid_parameter' ? this.extra.errors?.[0]?.name : undefined
    return this.extra.hint ?? PARAMETER_HINTS[parameter ?? ''] ?? this.entry.hint
  }
}

/** Adds a full stop if a detail has none. */
export const withFullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
