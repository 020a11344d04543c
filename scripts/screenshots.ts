// Writes docs/screenshots: a few pages as people see them, on a service with the sample.

import { join } from 'node:path'
import { openSite } from '../test/support/site.ts'

const FOLDER = join(import.meta.dir, '../docs/screenshots')
const SHOTS = [
  { name: 'landing', path: '/', width: 1000, height: 640, colorScheme: 'light' },
  { name: 'price', path: '/price/99213?region=94102', width: 1000, height: 760, colorScheme: 'light' },
  { name: 'absence', path: '/price/00100', width: 1000, height: 480, colorScheme: 'dark' },
  { name: 'price-phone', path: '/price/99213?npi=1234567893', width: 390, height: 800, colorScheme: 'dark' },
] as const

await using site = await openSite()
for (const { name, path, width, height, colorScheme } of SHOTS) {
  const page = await site.page({ viewport: { width, height }, colorScheme })
  await page.goto(path, { waitUntil: 'networkidle' })
  await page.screenshot({ path: join(FOLDER, `${name}.jpg`), type: 'jpeg', quality: 46 })
  await page.context().close()
}
