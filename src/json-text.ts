// JSON text that is at hand: rows, manifests and states are sent as they were hashed or signed, and are not written anew.

/** A value whose JSON text is known. */
export class JsonText {
  constructor(readonly text: string) {}

  /** For whoever writes it with `JSON.stringify`. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** The JSON text of a value in which known texts stand. */
export function jsonText(value: unknown): string {
  if (value instanceof JsonText) return value.text
  // Texts and numbers have no text of ours inside, nor have lists of hashes, which are long.
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && typeof value[0] === 'string'))
    return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  let members = ''
  for (const [name, each] of Object.entries(value))
    if (each !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${jsonText(each)}`
  return `{${members}}`
}

/** The text of an object, with more members at its end. */
export const withMembers = (object: string, members: object): string => {
  const more = jsonText(members).slice(1, -1)
  return more === '' ? object : `${object.slice(0, -1)},${more}}`
}
