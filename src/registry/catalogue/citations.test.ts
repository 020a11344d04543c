import { expect, test } from 'bun:test'
import { aRelease } from '../../../test/support/builders.ts'
import { testApp } from '../../../test/support/harness.ts'
import { citedLater } from './citations.ts'

test('a file counts as the successor of another only if a later release of the same chart cites it', async () => {
  await using app = await testApp()
  const citing = (digit: string) => {
    const [first] = aRelease().citations
    return [{ ...(first as NonNullable<typeof first>), sha256: digit.repeat(64) }]
  }
  await app.publish(aRelease({ edition: 'A', citations: citing('a') }))
  await app.publish(aRelease({ edition: 'B', effective_from: '2026-04-01', citations: citing('b') }))
  const isSuccessor = await citedLater(app.installation.db)
  expect(isSuccessor('cms-pfs:A:1', 'b'.repeat(64))).toBe(true)
  // A publisher who goes back to the file before has changed what is cited.
  expect(isSuccessor('cms-pfs:B:1', 'a'.repeat(64))).toBe(false)
  expect(isSuccessor('cms-pfs:A:1', 'a'.repeat(64))).toBe(false)
  expect(isSuccessor('cms-clfs:A:1', 'b'.repeat(64))).toBe(false)
})
