// Whether a text gives away a secret of this monitor. A service knows the token that it was shown, and may send it back.

/** Encodings within encodings that are undone. */
const DEPTH = 2

/** A service may hide a secret in a way of its own; what anyone undoes without being told how, is undone here. */
export function holdsSecret(text: string, secrets: ReadonlySet<string>, depth = DEPTH): boolean {
  if (secrets.size === 0) return false
  if ([...secrets].some((secret) => text.includes(secret))) return true
  return depth > 0 && [unescaped, fromBase64, fromHex].some((form) => holdsSecret(form(text), secrets, depth - 1))
}

const ESCAPE = /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#([0-9]{1,7});|\\(.)/gi

/** Of JSON, of addresses and of markup. */
const unescaped = (text: string): string =>
  text.replace(ESCAPE, (_, ...groups: (string | undefined)[]) => {
    const [json, byte, percent, hex, decimal, plain] = groups
    if (plain !== undefined) return plain
    const code = decimal === undefined ? Number.parseInt(json ?? byte ?? percent ?? hex ?? '', 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })

/** Each run of letters of base64, also over several lines, from each place at which a group of four may begin. */
const fromBase64 = (text: string): string =>
  text
    .split(/[^\w+/\s-]+/)
    .map((run) => run.replace(/\s+/g, ''))
    .flatMap((run) => [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('latin1')))
    .join('\n')

const fromHex = (text: string): string =>
  (text.match(/[0-9a-f]{2,}/gi) ?? [])
    .flatMap((run) => [0, 1].map((from) => Buffer.from(run.slice(from), 'hex').toString('latin1')))
    .join('\n')
