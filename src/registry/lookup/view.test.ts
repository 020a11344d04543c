import { expect, test } from 'bun:test'
import { aPrice, aRelease } from '../../../test/support/builders.ts'
import { testApp } from '../../../test/support/harness.ts'
import { View } from './view.ts'

test('all who ask after a publication share one view of it', async () => {
  await using app = await testApp()
  const { db, registryLog } = app.installation
  const before = await View.at(db, registryLog)
  await app.publish(aRelease({ rows: [aPrice()] }))
  const views = await Promise.all(Array.from({ length: 5 }, () => View.at(db, registryLog)))
  expect(new Set(views).size).toBe(1)
  expect([views[0] === before, views[0]?.periods.length]).toEqual([false, 1])
})
