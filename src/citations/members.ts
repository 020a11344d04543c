import { isZip, type Member, openArchive } from '../files/zip.ts'

export const MOST_MEMBER_BYTES = 512 * 1024 * 1024
/** Publishers' archives have a dozen files. An archive with thousands of files of the right size is hostile. */
const MOST_MEMBERS = 100

/** Unpacks the wanted members of an archive one by one. A damaged archive, or a file of another kind, has none. */
export async function* membersOf(path: string, isWanted: (member: Member) => boolean): AsyncGenerator<Uint8Array> {
  if (!isZip(new Uint8Array(await Bun.file(path).slice(0, 4).arrayBuffer()))) return
  const archive = await openArchive(path).catch(() => undefined)
  try {
    for (const member of archive?.members.filter(isWanted).slice(0, MOST_MEMBERS) ?? []) {
      const bytes = unpacked(member)
      if (bytes) yield bytes
    }
  } finally {
    archive?.close()
  }
}

/** Undefined if a member cannot be unpacked: then it is not the cited one. */
function unpacked(member: Member): Uint8Array | undefined {
  try {
    return member.unpack(MOST_MEMBER_BYTES)
  } catch {
    return undefined
  }
}
