import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLog } from '../../tools/mirror/log-copy.ts'
import { StaticTree } from '../../tools/mirror/static-tree.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { MirrorWorld, shownBy, withoutId } from '../support/mirror-world.ts'

const CHILD = join(import.meta.dir, 'mirror-child.ts')

/** Kills the mirror when its service is asked for the nth time, or so many milliseconds after it was asked last. */
type Place = { request: number } | { afterLast: number }

async function killedAt(world: MirrorWorld, place: Place): Promise<Bun.Subprocess['signalCode']> {
  const child = Bun.spawn([process.execPath, CHILD, world.url, world.tree.folder], {
    env: { ...process.env, ATR_AGENT_KEY: world.key },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  let asked = 0
  world.tamper = (path, response) => {
    asked++
    if ('request' in place && asked === place.request) child.kill('SIGKILL')
    // The policy is compared last of all that the logs need, and rows last of all.
    if ('afterLast' in place && path.endsWith('.ndjson.zst')) setTimeout(() => child.kill('SIGKILL'), place.afterLast)
    return response
  }
  await child.exited
  world.tamper = (_, response) => response
  return child.signalCode
}

test('a mirror that is killed at any place goes on from there, and what it serves is never half a round', async () => {
  await using world = await MirrorWorld.start()
  const rows = (amount: string) =>
    Array.from({ length: 300 }, (_, i) => aPrice({ code: `G${1000 + i}`, price: { amount, currency: 'USD' } }))
  await world.app.publish(aRelease({ rows: rows('11.11') }))
  await world.mirror()
  await using mirror = await world.serve()
  const ask = async (): Promise<string> => withoutId(await mirror.ask('/reference?cpt=G1007'))
  const old = await ask()
  await world.app.publish(aRelease({ edition: 'TEST2', effective_from: '2026-06-01', rows: rows('22.22') }))
  await world.app.publish(aRelease({ edition: 'TEST3', effective_from: '2026-07-01', rows: rows('33.33') }))
  const whole = await withoutId(await world.ask('/reference?cpt=G1007'))
  const places: Place[] = [{ request: 2 }, { request: 8 }, { request: 9 }, { request: 10 }]
  for (const afterLast of [5, 20, 40, 80, 120]) places.push({ afterLast })
  for (const place of places) {
    const signal = await killedAt(world, place)
    if ('request' in place) expect([place, signal]).toEqual([place, 'SIGKILL'])
    expect([old, whole]).toContain(await ask())
    // What a static host shows is whole too: its checkpoint covers nothing that is not there.
    const log = readLog(world.tree, 'registry')
    expect(log?.log?.leaves.length).toBe(log?.entries.length ?? 0)
    expect([3, 7]).toContain(log?.entries.length ?? 0)
  }
  expect(await world.mirror()).toMatchObject({ alarms: [], releases: 3 })
  expect(await ask()).toBe(whole)
  expect(whole).toContain('33.33')

  const fresh = new StaticTree(join(world.folder.path, 'fresh'))
  await world.mirror({ tree: fresh })
  // Partial tiles of the checkpoint before are there for its readers; a mirror that began later has none.
  const isOlder = (path: string): boolean => /\/log\/\w+\/tile\/.*\.p\/3$/.test(path)
  const kept = Object.fromEntries(Object.entries(shownBy(world.tree)).filter(([path]) => !isOlder(path)))
  expect(kept).toEqual(shownBy(fresh))
  expect(existsSync(world.tree.inside('incoming'))).toBe(false)
  const left = readdirSync(world.tree.inside('')).filter((name) => /building|tmp/.test(name))
  expect(left).toEqual([])
})

test('what a round left that was killed when its last file was kept is removed by one that has nothing to bring', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease())
  await world.mirror()
  const left = world.tree.inside('incoming')
  mkdirSync(left)
  writeFileSync(join(left, 'packed'), 'half a file')
  expect(await world.mirror()).toMatchObject({ alarms: [], brought: 0 })
  expect(existsSync(left)).toBe(false)
})

test('a folder that another process is mirroring into is left alone', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease())
  const policy = join(world.folder.path, 'policy')
  writeFileSync(policy, world.policy)
  const { lockFolder } = await import('../../src/db/folder-lock.ts')
  await world.mirror()
  const lock = lockFolder(world.tree.inside(''))
  const child = Bun.spawn([process.execPath, CHILD, world.url, world.tree.folder, '--policy', policy], {
    stderr: 'pipe',
  })
  expect(await new Response(child.stderr).text()).toContain('another process is using this folder')
  expect(await child.exited).not.toBe(0)
  await lock.release()
})
