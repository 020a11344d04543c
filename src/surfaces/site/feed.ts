import type { Stamp } from '../../operation.ts'
import { utf8 } from '../../proof/bytes.ts'
import { sha256 } from '../../proof/sha256.ts'
import { SERVICE } from '../discovery/descriptor.ts'
import type { Resource } from '../http/resource.ts'
import { escaped } from './markup.ts'

export interface FeedEntry {
  /** Its index in the log. */
  index: number
  title: string
  summary: string
  /** A time in the format of RFC 3339. */
  updated: string
  /** The chart of the release. */
  chart: string
}

export interface FeedParts {
  baseUrl: () => string
  /** The origin of the log. Entry ids are made from it, so they do not depend on the address of the service. */
  origin: string
  /** Newest first. */
  entries: () => Promise<readonly FeedEntry[]>
  /** When the log was last signed: the date of an empty feed. */
  signedAt: () => Promise<number>
  stamp: Stamp
}

/** RFC 4287. Each feed entry is an entry of the registry log, so neither it nor its id ever changes. */
export const feed = (parts: FeedParts): Resource => ({
  name: 'get_feed',
  path: '/feed.atom',
  summary: 'Releases and withdrawals as an Atom feed, newest first',
  tag: 'discovery',
  cache: 'public, max-age=300',
  stamp: parts.stamp,
  forms: [{ type: 'application/atom+xml', render: () => renderFeed(parts) }],
})

async function renderFeed({ baseUrl, origin, entries, signedAt }: FeedParts): Promise<string> {
  const shown = await entries()
  const base = baseUrl()
  const updated = shown[0]?.updated ?? new Date(await signedAt()).toISOString()
  return xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${idOf(origin)}</id>
  <title>${SERVICE}: releases and withdrawals</title>
  <updated>${updated}</updated>
  <author><name>${SERVICE}</name></author>
  <link rel="self" type="application/atom+xml" href="${base}/feed.atom"/>
  <link rel="alternate" type="application/json" href="${base}/api/releases"/>
`
    .concat(...shown.map((entry) => entryOf(entry, base, origin)))
    .concat('</feed>\n')
}

/** Every value that is filled in is escaped. */
const xml = (strings: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  strings.reduce((text, string, at) => text + escaped(String(values[at - 1])) + string)

const entryOf = ({ index, title, summary, updated, chart }: FeedEntry, base: string, origin: string): string =>
  xml`  <entry>
    <id>${idOf(`${origin} ${index}`)}</id>
    <title>${title}</title>
    <updated>${updated}</updated>
    <summary>${summary}</summary>
    <link rel="alternate" type="application/json" href="${base}/api/releases?chart=${encodeURIComponent(chart)}"/>
    <link rel="related" type="text/plain" title="The proof that this entry is in the log" href="${base}/log/registry/proof/${index}"/>
  </entry>
`

/** RFC 9562 version 8: the first bytes of a hash, with the version bits set. */
function idOf(name: string): string {
  const bytes = sha256(utf8(name)).slice(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString('hex')
  return `urn:uuid:${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`
}
