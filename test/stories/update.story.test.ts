// The command that cron runs, and the service that runs it by itself, with a publisher on this machine.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { ChartReport } from '../../src/fetch/run.ts'
import { temporaryFolder } from '../support/folder.ts'
import { drugFile, monthOf, PublisherSite } from '../support/publisher-site.ts'
import { ATR, atr, told } from '../support/service.ts'
import { until } from '../support/until.ts'

const folder = temporaryFolder()
const site = new PublisherSite({ now: Date.now() })
const today = new Date()
const [year, quarter] = [today.getUTCFullYear(), Math.floor(today.getUTCMonth() / 3) + 1]
const news = join(folder.path, 'news.json')
const environment: Record<string, string> = {
  DATA_DIR: join(folder.path, 'data'),
  PUBLISHERS: join(folder.path, 'publishers.json'),
  ON_UPDATE: `cat >> ${news}`,
  PORT: '0',
}
const FILE = `/files/zip/${monthOf(quarter)}-${year}-medicare-part-b-payment-limit-files.zip`

beforeAll(async () => {
  // One chart, so that the page of each is not looked for.
  const { charts, ...table } = site.table
  const own = Object.fromEntries(
    Object.entries(charts).map(([chart, { page, ...entry }]) => [
      chart,
      chart === 'cms-asp' ? { page, ...entry } : entry,
    ]),
  )
  await Bun.write(environment['PUBLISHERS'] ?? '', JSON.stringify({ ...table, charts: own }))
  site.archive(FILE, { 'limits.csv': drugFile(year, quarter) })
  site.links(site.pathOf('cms-asp'), [FILE])
  await atr(['init', '--origin', 'update.example'], environment)
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const run = (...args: string[]) => atr(args, environment)
const newsText = (): Promise<string> =>
  Bun.file(news)
    .text()
    .catch(() => '')

test('a check takes nothing; an update that is killed leaves nothing; the next one brings the store up to date and tells of it', async () => {
  const before = await run('doctor')
  expect(before.out).toContain('`atr update` would look at cms-asp')
  const checked = await run('fetch', 'all', '--check')
  expect(checked).toMatchObject({ code: 0, out: `cms-asp: would take ${year} Q${quarter}\n` })

  let asked = false
  const sound = drugFile(year, quarter)
  site.put(FILE, async () => {
    asked = true
    await Bun.sleep(60_000)
    return new Response(sound)
  })
  const child = Bun.spawn([...ATR, 'update', '--publish'], {
    env: await told(environment),
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await until(() => asked)
  child.kill('SIGKILL')
  await child.exited
  expect((await run('release', 'list', '--json')).out).toBe('[]\n')
  expect(await newsText()).toBe('')

  site.archive(FILE, { 'limits.csv': sound })
  const updated = await run('update', '--publish', '--json')
  expect(updated).toMatchObject({ code: 0, err: '' })
  const { charts } = JSON.parse(updated.out) as { charts: ChartReport[] }
  const id = `cms-asp:ASP${year % 100}Q${quarter}:1`
  expect(charts).toMatchObject([
    { chart: 'cms-asp', outcome: 'new', releases: [{ release_id: id, state: 'published' }] },
  ])
  expect(JSON.parse(await newsText())).toEqual({ charts })

  const again = await run('update', '--publish')
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('cms-asp: not due yet') })
  const shown = JSON.parse((await run('release', 'show', id)).out) as { origin: { steps: { kind: string }[] } }
  expect(shown.origin.steps.map(({ kind }) => kind)).toEqual(['page', 'file'])
  expect((await run('doctor')).out).toContain('`atr update` would do nothing')
})

test('a service looks by itself, if it is told to, and stages what is new', async () => {
  const later = quarter === 4 ? [year + 1, 1] : [year, quarter + 1]
  const [nextYear = year, next = 1] = later
  const path = `/files/zip/${monthOf(next)}-${nextYear}-medicare-part-b-payment-limit-files.zip`
  site.archive(path, { 'limits.csv': drugFile(nextYear, next) })
  site.links(site.pathOf('cms-asp'), [FILE, path])
  const { DATA_DIR: folderOfStore = '' } = environment
  const fetched = await run('fetch', 'cms-asp', '--check')
  expect(fetched.out).toContain(`would take ${nextYear} Q${next}`)
  // A clock that was put back makes every chart due.
  const { openInstallation } = await import('../../src/installation.ts')
  const { readConfig } = await import('../../src/config.ts')
  const { db } = await openInstallation(readConfig((await told(environment)) as Record<string, string>))
  await db.query('UPDATE fetch_look SET looked_at = $1, next_look_at = $1', [Date.now() + 9e9])
  await db.close()
  expect(folderOfStore).not.toBe('')
  const service = Bun.spawn([...ATR, 'serve'], {
    env: await told({ ...environment, UPDATES: 'on' }),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let log = ''
  const reading = (async () => {
    for await (const piece of service.stderr) log += new TextDecoder().decode(piece)
  })()
  await until(() => log.includes('"job":"update"'))
  service.kill('SIGTERM')
  await Promise.all([service.exited, reading])
  expect(log).toContain(`cms-asp:ASP${nextYear % 100}Q${next}:1`)
  expect((await run('release', 'list')).out).toMatch(new RegExp(`cms-asp:ASP${nextYear % 100}Q${next}:1 +staged`))
})
