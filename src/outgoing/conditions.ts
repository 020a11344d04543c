// Conditional requests (RFC 9110, section 13): what a server said of an answer, to be sent back to it.

/** An entity tag of a closed form, and `Last-Modified` in seconds since 1970. */
export interface Conditions {
  entity_tag: string | null
  modified: number | null
}
export const NO_CONDITIONS: Conditions = { entity_tag: null, modified: null }

const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/

export function conditionsOf(headers: Headers): Conditions {
  const [etag, modified] = [headers.get('etag') ?? '', Date.parse(headers.get('last-modified') ?? '')]
  return {
    entity_tag: ETAG.test(etag) ? etag : null,
    modified: Number.isSafeInteger(modified) && modified > 0 ? Math.floor(modified / 1000) : null,
  }
}

/** The headers of a request that is answered with 304 where nothing has changed. */
export const conditionHeaders = ({ entity_tag, modified }: Conditions): Record<string, string> => ({
  ...(entity_tag === null ? {} : { 'if-none-match': entity_tag }),
  ...(modified === null ? {} : { 'if-modified-since': new Date(modified * 1000).toUTCString() }),
})
