import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { canonical } from '../../src/proof/canonical-json.ts'
import { firstRelease } from '../../src/proof/figures-fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import type { Manifest, RegistryState } from '../../src/proof/price/release.ts'
import type { Row } from '../../src/proof/price/row.ts'
import { aFee, aRow, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { parsePolicy, type TrustPolicy } from '../../src/proof/verify-lists.ts'
import { ALARMS } from '../../tools/monitor/alarm.ts'
import { manual } from '../support/manual.ts'
import { Operator } from '../support/operator.ts'
import { ATR, atr, DemoService } from '../support/service.ts'
import { provedBy, Watcher } from '../support/watcher.ts'

const watcherOf = (operator: Operator): Watcher => Watcher.of(operator)

const LAB = { chart: 'cms-clfs', effective_from: '2026-07-01', effective_to: '2026-09-30' }
const labRow = (cpt: string, amount = '10.56'): Row => aRow({ code: cpt, amount })
const CODES = ['80047', '80048', '80050', '80051', '80053']
const laboratory = (operator: Operator, given: Partial<Manifest> = {}, rows = CODES.map((cpt) => labRow(cpt))) =>
  operator.registry.publish(rows, { ...LAB, ...given })
const QUIET = { code: 0, alarms: [] as string[] }
const alarming = (...alarms: string[]) => ({ code: 1, alarms })

test('a head that only a retired key signed is an alarm, though the key counts for what is archived', async () => {
  await using operator = await Operator.start()
  laboratory(operator)
  const { signer, log } = operator.registry
  const [current, ...others] = (parsePolicy(operator.policy) as TrustPolicy).logs.map(({ key }) =>
    key.name === signer.name ? { ...key, publicKey: new Uint8Array(32).fill(9) } : key,
  )
  const retired = [{ key: signer, size: log.leaves.length, root: await log.root() }]
  const policy = formatPolicy(current ? [current, ...others] : [], [], 0, retired)
  using watcher = new Watcher(operator.url, policy)
  const seen = await watcher.look()
  expect(seen).toMatchObject(alarming('checkpoint_invalid'))
  expect(seen.out).toContain('key_retired')
})

test('a real service is followed over publications and a withdrawal without an alarm', async () => {
  await using service = await DemoService.start()
  using watcher = new Watcher(service.url, await (await fetch(`${service.url}/log/policy`)).text())
  writeFileSync(watcher.file('token'), service.demoKey)
  expect(await watcher.look()).toMatchObject(QUIET)
  const first = JSON.parse((await watcher.read('--json')).out) as { registry: number; releases: number }
  expect(first).toMatchObject({ ok: true, alarms: [], notes: [] })
  expect(first.releases).toBeGreaterThan(5)

  const published = async (edition: string, day: string) => {
    const file = ['cms-clfs', 'sample/CLFS-SAMPLE26Q4.csv', '--edition', edition, '--effective-from', day]
    const options = ['--effective-to', '2027-12-31', '--override', 'r11_overlap', '--reason', 'sample_data']
    const { code, err } = await service.atr(['load', ...file, ...options, '--sample', '--publish'])
    expect([err, code]).toEqual([err, 0])
  }
  await published('ONE', '2026-11-01')
  await published('TWO', '2026-11-01')
  const withdrawn = await service.atr(['release', 'withdraw', 'cms-clfs:TWO:1', '--reason', 'wrong_source'])
  expect(withdrawn.code).toBe(0)
  // Within about a second the service sees what another process has published.
  const size = async () => Number((await (await fetch(`${service.url}/log/registry/checkpoint`)).text()).split('\n')[1])
  while ((await size()) < first.registry + 6) await Bun.sleep(50)
  const sources = ['--source', 'sample/CLFS-SAMPLE26Q4.csv']
  const second = JSON.parse((await watcher.read(...sources, '--json')).out) as { registry: number; releases: number }
  // The rows of all three that cite the file were read, the one that was withdrawn too.
  expect(second).toMatchObject({ ok: true, alarms: [], notes: [], registry: first.registry + 6, releases: 3 })
  const last = await atr(['monitor', ...watcher.args('--json')])
  expect(JSON.parse(last.out)).toMatchObject({ ok: true, registry: first.registry + 6, releases: 0 })

  writeFileSync(watcher.file('answer'), await (await fetch(`${service.url}/reference?cpt=99213`)).text())
  expect(await watcher.look('--answer', watcher.file('answer'))).toMatchObject(QUIET)
  expect(watcher.evidence).toEqual([])
})

test('an operator who is honest raises no alarm either, whatever was published, withdrawn or moved', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  const [one, two] = ['1234567893', '1245319599']
  const hospital = (npi: string) => ({ chart: `hospital-mrf:${npi}`, providers: [one, two].sort() })
  const cash = (npi: string) =>
    aRow({
      code: '99213',
      npi,
      basis: 'hospital_cash',
      setting: 'outpatient',
      amount: '150.00',
      derivation: { method: 'verbatim/1', inputs: { amount: '150.00' } },
    })
  const lab = laboratory(operator)
  operator.registry.publish([cash(one), cash(two)], hospital(one))
  expect(await watcher.read()).toMatchObject(QUIET)
  operator.release(...firstRelease(1))
  operator.registry.publish([cash(one), cash(two)], hospital(two))
  operator.registry.move(two, `hospital-mrf:${two}`)
  expect(await watcher.read()).toMatchObject(QUIET)
  operator.registry.withdraw(lab)
  laboratory(operator, { release_id: 'cms-clfs:2026C:2' })
  for (let day = 0; day < 300; day++) operator.registry.append()
  expect(await watcher.read()).toMatchObject(QUIET)
  operator.registry.append()
  expect(await watcher.read()).toMatchObject(QUIET)
})

test('a forged release that one victim was shown is found by the answer that the victim kept', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  laboratory(operator)
  const forged = operator.registry.snapshot()
  const rows = CODES.map((cpt) => labRow(cpt, '99.99'))
  forged.publish(rows, { ...LAB, edition: 'FORGED', supersedes: 'cms-clfs:2026C:1' })
  const question = { cpt: '80053', as_of: '2026-08-01' }
  const { body } = await forged.answer(question)
  writeFileSync(watcher.file('answer'), JSON.stringify(body))
  // The answer itself verifies.
  const asked = ['--cpt', question.cpt, '--as-of', question.as_of, '--policy', watcher.file('policy')]
  expect((await atr(['verify', watcher.file('answer'), ...asked])).out).toContain('ok')

  expect(await watcher.look('--answer', watcher.file('answer'))).toMatchObject(alarming('answer_ahead'))
  operator.registry.append()
  operator.registry.append()
  expect(await watcher.look('--answer', watcher.file('answer'))).toMatchObject(alarming('answer_forked'))
  const [ahead = '', fork = ''] = watcher.evidence.sort()
  expect(ahead).toContain('answer_ahead')
  const { evidence } = watcher.kept(fork)
  expect(evidence['answer']).toBe(JSON.stringify(body))
  expect(evidence['answer_checkpoint']).toBe(await forged.log.checkpoint())
  expect(evidence['log_checkpoint']).toBe(await operator.registry.log.checkpoint())
  expect(await provedBy(evidence, operator.policy)).toEqual(['fork'])
  expect(await watcher.look()).toMatchObject(QUIET)
})

test('a log that is forked or rolled back for the monitor itself is found, and stays found', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  laboratory(operator)
  const early = operator.registry.snapshot()
  laboratory(operator, {
    edition: '2026D',
    effective_from: '2026-10-01',
    effective_to: '2026-12-31',
    supersedes: 'cms-clfs:2026C:1',
  })
  expect(await watcher.look()).toMatchObject(QUIET)
  const other = early.snapshot()
  other.append()
  other.append()
  for (const [shown, alarm] of [
    [early, 'log_rolled_back'],
    [other, 'log_forked'],
    [other.snapshot().append(), 'log_forked'],
  ] as const) {
    operator.shown = shown
    for (let i = 0; i < 2; i++) expect(await watcher.look()).toMatchObject(alarming(alarm))
  }
  operator.shown = operator.registry
  expect(await watcher.look()).toMatchObject(QUIET)
  const kept = watcher.evidence.map((name) => watcher.kept(name))
  expect(kept).toHaveLength(3)
  for (const { evidence } of kept)
    expect(Object.keys(evidence)).toEqual(expect.arrayContaining(['newer_checkpoint', 'older_checkpoint']))
  // Of two logs that share neither size nor root, one entry that differs is shown in both.
  const proved = await Promise.all(kept.map(({ evidence }) => provedBy(evidence, operator.policy)))
  expect(proved.flat()).toEqual(['fork'])
})

test('an unsorted release is found by reading its rows', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  const release = new MemoryRelease(
    [labRow('80053'), labRow('80047')],
    { ...LAB, recorded_at: operator.registry.now },
    false,
  )
  operator.registry.releases.push(release)
  operator.registry.append(release.manifest)
  // Lookups in it may go wrong too, but only all of its rows show it for sure.
  for (let i = 0; i < 2; i++) {
    const { code, alarms } = await watcher.read()
    expect([code, alarms.includes('rows_unsorted')]).toEqual([1, true])
  }
})

test('a price that does not follow from its inputs, and rows that do not lead to their manifest, are found', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  const price = { amount: '99.99', currency: 'USD', per: null }
  const fee = aFee({ code: '99213', amount: '95.19' })
  operator.registry.publish([{ ...fee, price } as Row], { chart: 'cms-pfs' })
  expect(await watcher.read()).toMatchObject(
    // The answers about the row prove it, and do not hold either.
    alarming('arithmetic_wrong', 'answer_unverified', 'page_unverified'),
  )
  operator.tamper = (path, response) =>
    path.startsWith('/log/releases/') ? new Response(new Uint8Array(32)) : response
  expect(await watcher.read()).toMatchObject(alarming('row_hashes_wrong', 'answer_unverified', 'page_unverified'))
})

test('a re-used id is found', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  laboratory(operator)
  expect(await watcher.look()).toMatchObject(QUIET)
  laboratory(operator, {}, [labRow('80053', '99.99')])
  const { alarms, code } = await watcher.look()
  expect([code, alarms.includes('release_id_reused')]).toEqual([1, true])
  // The log cannot take it back, so it is told each time.
  expect((await watcher.look()).alarms).toContain('release_id_reused')
})

test('a withdrawn release that is still served is found', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  const release = laboratory(operator)
  expect(await watcher.look()).toMatchObject(QUIET)
  const before = operator.registry.snapshot()
  operator.registry.withdraw(release)
  expect(await watcher.look()).toMatchObject(QUIET)
  operator.answering = before
  expect(await watcher.look()).toMatchObject(alarming('withdrawn_served'))
})

test('answers under a checkpoint of long ago, and answers that prove nothing, are found', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  laboratory(operator)
  operator.answering = operator.registry.snapshot()
  operator.registry.append()
  expect(await watcher.look()).toMatchObject(alarming('answer_stale'))
  operator.answering = undefined
  operator.tamper = async (path, response) =>
    path.startsWith('/reference') ? new Response((await response.text()).replaceAll('10.56', '10.57')) : response
  expect(await watcher.look()).toMatchObject(alarming('answer_unverified'))
})

test('a stale head is found', async () => {
  await using operator = await Operator.start(27 * 60)
  using watcher = watcherOf(operator)
  laboratory(operator)
  expect(await watcher.look()).toMatchObject(alarming('head_stale'))
  expect(await watcher.look('--max-age', '2d')).toMatchObject(QUIET)
})

test('a state that does not follow is found', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  laboratory(operator)
  const state = operator.registry.entries.at(-1) as RegistryState
  const withdrawal = {
    schema: 'price-withdrawal/2',
    release_id: 'cms-clfs:2026C:1',
    chart: 'cms-clfs',
    reason: 'wrong_source',
    recorded_at: state.recorded_at,
  } as const
  // The withdrawal is in the log, and the state goes on as if it were not.
  operator.append(withdrawal, state)
  const { code, alarms } = await watcher.look()
  expect([code, alarms.includes('state_wrong')]).toEqual([1, true])
})

test('an entry that is missing, altered, or without its state is found', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  const { manifest } = laboratory(operator)
  operator.tamper = (path, response) =>
    path.includes('/tile/entries/') ? new Response(null, { status: 404 }) : response
  const unread = await watcher.look()
  expect([unread.code, unread.alarms.includes('entry_missing')]).toEqual([1, true])
  operator.tamper = async (path, response) => {
    if (!path.includes('/tile/entries/')) return response
    const bundle = new Uint8Array(await response.arrayBuffer())
    bundle[bundle.length - 40] = (bundle.at(-40) as number) ^ 1
    return new Response(bundle)
  }
  const altered = await watcher.look()
  expect([altered.code, altered.alarms.includes('entry_altered')]).toEqual([1, true])
  operator.tamper = (_, response) => response
  expect(await watcher.look()).toMatchObject(QUIET)
  operator.append({ ...manifest, edition: '2026D', release_id: 'cms-clfs:2026D:1', supersedes: manifest.release_id })
  expect((await watcher.look()).alarms).toContain('state_missing')
})

test('a service that leads away, never ends, or has other keys is told apart from an honest one', async () => {
  await using operator = await Operator.start()
  await using elsewhere = await Operator.start()
  using watcher = watcherOf(operator)
  laboratory(operator)
  const endless = () => {
    const pull = (stream: ReadableStreamDefaultController) => stream.enqueue(new Uint8Array(65_536))
    return new Response(new ReadableStream({ pull }), { headers: { 'content-encoding': 'identity' } })
  }
  for (const [answer, alarm] of [
    [() => Response.redirect(`${elsewhere.url}/log/registry/checkpoint`), 'unreachable'],
    [endless, 'unreachable'],
    [async () => new Response(await elsewhere.registry.log.checkpoint()), 'checkpoint_invalid'],
    [async () => new Response(await operator.figures.checkpoint()), 'log_not_the_same'],
  ] as const) {
    operator.tamper = (path, response) => (path === '/log/registry/checkpoint' ? answer() : response)
    expect(await watcher.look()).toMatchObject(alarming(alarm))
  }
})

test('with --every it goes on until it is stopped, and then says whether it ever alarmed', async () => {
  await using operator = await Operator.start()
  using watcher = watcherOf(operator)
  laboratory(operator)
  for (const expected of [0, 1]) {
    const refused = (path: string) => expected === 1 && path.startsWith('/rows/')
    operator.tamper = (path, response) => (refused(path) ? new Response(null, { status: 503 }) : response)
    const child = Bun.spawn([...ATR, 'monitor', ...watcher.args('--every', '1h')], { stderr: 'pipe' })
    let said = ''
    for await (const chunk of child.stderr) {
      said += new TextDecoder().decode(chunk)
      if (said.includes('registry log')) break
    }
    child.kill('SIGTERM')
    expect(await child.exited).toBe(expected)
  }
})

test('a monitor refuses what it cannot use: another state file, no policy, two ways to run', async () => {
  using watcher = new Watcher('http://127.0.0.1:9', 'quorum none\n')
  expect(await watcher.look()).toMatchObject({ code: 2 })
  await using operator = await Operator.start()
  writeFileSync(watcher.file('policy'), operator.policy)
  expect(await watcher.look('--once', '--every', '1m')).toMatchObject({ code: 2 })
  expect(await watcher.look('--source', 'sample/CLFS-SAMPLE26Q4.csv')).toMatchObject({ code: 2 })
  expect(await watcher.look()).toMatchObject({ code: 1 })
  const remembered = readFileSync(watcher.file('state'), 'utf8')
  writeFileSync(watcher.file('state'), remembered.replace('127.0.0.1:9', 'other.example'))
  expect((await watcher.look()).err).toContain('the state file is about another service')
  writeFileSync(watcher.file('state'), '{}')
  expect((await watcher.look()).err).toContain('is damaged, or was not written by a monitor')
})

test('every alarm is documented for those who run a monitor', () => {
  const page = manual()
  expect(Object.keys(ALARMS).filter((code) => !page.includes(`\`${code}\``))).toEqual([])
  expect(canonical(ALARMS)).not.toContain('undefined')
})
