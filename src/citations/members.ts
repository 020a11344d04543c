import { isZip, type Member, openArchive } from '../files/zip.ts'

export const MOST_MEMBER_BYTES = 512 * 1024 * 1024
/** An archive of a publisher holds a dozen files. One that holds thousands of the right size is made to take our time. */
const MOST_MEMBERS = 100

/** The members of an archive that are wanted, unpacked one by one; none of a file that is no archive or a damaged one. */
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

/** A member that cannot be unpacked is not the one that was cited. */
function unpacked(member: Member): Uint8Array | undefined {
  try {
    return member.unpack(MOST_MEMBER_BYTES)
  } catch {
    return undefined
  }
}
