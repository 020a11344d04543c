/** What went wrong, seen by the caller. Each surface maps the kinds once, to a status or an exit code. */
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
  /** What an agent should do next. */
  hint: string
  /** What it means to someone who is not a biller, for the page of the code. */
  meaning?: string
}
