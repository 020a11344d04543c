import { expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { aPrice, aRelease } from '../support/builders.ts'
import { testApp } from '../support/harness.ts'

test('where the file of another schedule is lost, a price is told without what that schedule has', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ code: '20000' })] }))
  const price = { amount: '7.37', currency: 'USD', per: null } as const
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ code: '20000', basis: 'medicare_clfs', price })] }))
  const asked = async (): Promise<string> => (await app.request('/reference?cpt=20000&region=national')).text()
  const honest = await asked()
  expect(honest).toContain('medicare_clfs')

  const { db } = app.installation
  const [other] = await db.query<{ file: string }>('SELECT file FROM release WHERE chart = $1', ['cms-clfs'])
  const digest = other?.file ?? ''
  const path = db.files.pathOf(digest)
  const whole = readFileSync(path)
  rmSync(path)
  db.files.forget(digest)
  const without = await asked()
  expect(without).not.toContain('medicare_clfs')
  const beforeRelated = (text: string): string => text.slice(0, text.indexOf('"related"'))
  expect(beforeRelated(without)).toBe(beforeRelated(honest))
  writeFileSync(path, whole)
  db.files.forget(digest)
  expect(await asked()).toBe(honest)
})
