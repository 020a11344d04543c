import { isZip, type Member, openArchive } from '../files/zip.ts'

export const MOST_MEMBER_BYTES = 512 * 1024 * 1024

/** The members of an archive that are wanted, unpacked one by one; none of a file that is no archive or a damaged one. */
export async function membersOf(path: string, isWanted: (member: Member) => boolean): Promise<Uint8Array[]> {
  if (!isZip(new Uint8Array(await Bun.file(path).slice(0, 4).arrayBuffer()))) return []
  try {
    const archive = await openArchive(path)
    try {
      return archive.members.filter(isWanted).map((member) => member.unpack(MOST_MEMBER_BYTES))
    } finally {
      archive.close()
    }
  } catch {
    return []
  }
}
