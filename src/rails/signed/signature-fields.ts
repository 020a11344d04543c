// The header fields of RFC 9421, in the canonical form of RFC 9651. Hostile text: what is not exactly in this form is not read.

/** One signature, as a field announces it. */
export interface SignatureInput {
  /** The names of what is signed: header fields, and parts of the request that begin with `@`. */
  components: string[]
  parameters: ReadonlyMap<string, string | number>
  /** Components and parameters as they were sent, which is how they are signed. */
  text: string
}

const MOST_CHARACTERS = 4096
const MOST_MEMBERS = 8

const KEY = '[a-z*][a-z0-9_.*-]*'
/** Without backslashes: no name, nonce or address of ours needs one. */
const STRING = '"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"'
const PARAMETER = `;${KEY}=(?:${STRING}|-?[0-9]{1,15})`
const BYTES = ':[A-Za-z0-9+/]*={0,2}:'
const INPUT = new RegExp(`(${KEY})=(\\(${STRING}(?: ${STRING})*\\)(?:${PARAMETER})*)(?:,[ \\t]*|$)`, 'y')
const BYTE_MEMBER = new RegExp(`(${KEY})=(${BYTES})(?:,[ \\t]*|$)`, 'y')

/** The members of a dictionary; undefined if a part of it is in another form, or a name comes twice. */
function members(text: string, form: RegExp): Map<string, string> | undefined {
  if (text.length > MOST_CHARACTERS) return undefined
  const found = new Map<string, string>()
  form.lastIndex = 0
  while (form.lastIndex < text.length) {
    const [, name = '', value = ''] = form.exec(text) ?? []
    if (name === '' || found.has(name) || found.size === MOST_MEMBERS) return undefined
    found.set(name, value)
  }
  return found
}

/** `Signature-Input`: by label, what each signature covers. */
export function parseSignatureInput(text: string): Map<string, SignatureInput> | undefined {
  const found = members(text, INPUT)
  if (!found) return undefined
  const inputs = new Map<string, SignatureInput>()
  for (const [label, value] of found) {
    const end = value.indexOf(')')
    const components = strings(value.slice(0, end))
    const parameters = new Map<string, string | number>()
    for (const [, name = '', raw = ''] of value.slice(end).matchAll(new RegExp(`;(${KEY})=(${STRING}|-?[0-9]+)`, 'g')))
      parameters.set(name, raw.startsWith('"') ? raw.slice(1, -1) : Number(raw))
    // A component that is listed twice could be read in two ways.
    if (new Set(components).size !== components.length) return undefined
    inputs.set(label, { components, parameters, text: value })
  }
  return inputs
}

const strings = (list: string): string[] => [...list.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)

/** `Signature` and `Content-Digest`: bytes by name. */
export function parseByteMembers(text: string): Map<string, Uint8Array> | undefined {
  const found = members(text, BYTE_MEMBER)
  return (
    found &&
    new Map([...found].map(([name, value]) => [name, new Uint8Array(Buffer.from(value.slice(1, -1), 'base64'))]))
  )
}
