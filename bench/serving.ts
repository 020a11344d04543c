import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Line, MEBIBYTE, perSecond, times } from './measure.ts'
import { DAYS, drawQuestions, havePublishedFiles, onDay, PHYSICIAN_FILES, pathOf } from './questions.ts'
import { RIVALS_SAY, type RivalName, startRivals } from './rivals.ts'
import { ATR, atRest, makeKey, type Service, startService } from './service.ts'
import {
  type Ask,
  type Load,
  load,
  medians,
  onceBeside,
  outputOf,
  p99sAtRate,
  type Target,
  writeRequests,
} from './wrk.ts'

const WARM = 1_000
const COLD = 800_000
/** A small store is made in a moment, and warm answers do not depend on its size. */
const QUICK_REGIONS = ['national', 'US-CA-18', 'US-IL-16']

/** And the package that each is in. */
const TOOLS = { wrk: 'wrk', nginx: 'nginx', h2load: 'nghttp2-client' }

/** The share of a rival's rate that ours is to reach. */
const AT_LEAST: Record<RivalName, number> = {
  nginx: 0.5,
  bun: 0,
  node: 1.5,
  fastify: 3,
  postgraphile: 10,
  'json-server': 10,
}

/** How fast questions are answered, beside servers that do less, on one processor each, with the load on another. */
export async function serving({ quick }: { quick: boolean }): Promise<Line[]> {
  const missing = Object.entries(TOOLS).filter(
    ([tool]) => !Bun.which(tool, { PATH: `${process.env['PATH']}:/usr/sbin` }),
  )
  if (missing.length > 0)
    return [notMeasured(`not installed: apt-get install ${missing.map(([, name]) => name).join(' ')}`)]
  if (!havePublishedFiles) return [notMeasured('ATR_SHARED_DATA does not hold the published files')]
  const folder = mkdtempSync(join(tmpdir(), 'atr-bench-'))
  let service: Service | undefined
  try {
    const dataDir = join(folder, 'data')
    await makeStore(dataDir, quick)
    const questions = await (quick ? drawQuestions(WARM, QUICK_REGIONS) : drawQuestions(COLD + WARM))
    const env = { ...process.env, DATA_DIR: dataDir }
    const agentKey = await makeKey(env)
    service = await startService(env)
    const warm = questions.slice(0, WARM).map(pathOf)
    const answers = await answersOf(service, warm)
    await atRest(service)
    const names: RivalName[] = quick ? ['nginx', 'node'] : (Object.keys(RIVALS_SAY) as RivalName[])
    const rivals = await startRivals(names, { folder, answers })
    try {
      const ours: Target = {
        port: service.port,
        pids: service.pids,
        requests: writeRequests(
          join(folder, 'warm'),
          warm.map((path) => ({ path })),
        ),
      }
      const seconds = quick ? 1 : 3
      const found = (await medians(
        { ...rivals.targets, ours } as Record<RivalName | 'ours', Target>,
        seconds,
      )) as Record<RivalName | 'ours', Load>
      const lines = warmLines(found, names)
      if (quick) return lines
      const { nginx } = rivals.targets as Record<RivalName, Target>
      const both = [`${service.url}${warm[0]}`, `http://127.0.0.1:${nginx.port}/0.json`]
      const [p99 = 0, theirs = 0] = await p99sAtRate(both, found.ours.perSecond / 2, seconds)
      return [
        ...lines,
        {
          what: '  p99 at half of that load',
          figure: `${p99.toFixed(1)} ms`,
          beside: `limit 5 ms; nginx at the same rate ${theirs.toFixed(1)} ms`,
        },
        await cold(ours, folder, questions.slice(WARM)),
        ...(await others(service, agentKey, folder, warm)),
        memory(service),
      ]
    } finally {
      await rivals.stop()
    }
  } finally {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const notMeasured = (beside: string): Line => ({ what: 'serving', figure: 'not measured', beside })

async function makeStore(dataDir: string, quick: boolean): Promise<void> {
  const env = { ...process.env, DATA_DIR: dataDir }
  const atr = (...args: string[]) => outputOf([process.execPath, ATR, ...args], env)
  await atr('init', '--origin', 'bench.example')
  const regions = quick ? ['--regions', QUICK_REGIONS.join(',')] : []
  await atr('load', 'cms-pfs', ...PHYSICIAN_FILES, ...regions, '--publish', '--json', '--url', 'https://www.cms.gov/')
}

async function answersOf({ url }: Service, paths: readonly string[]): Promise<[path: string, body: string][]> {
  const answers: [string, string][] = []
  for (const path of paths) {
    const answer = await fetch(`${url}${path}`)
    if (answer.status !== 200) throw new Error(`${path} is answered with ${answer.status}`)
    answers.push([path, await answer.text()])
  }
  return answers
}

function warmLines(found: Record<RivalName | 'ours', Load>, names: readonly RivalName[]): Line[] {
  const { ours } = found
  return [
    {
      what: `/reference, ${WARM.toLocaleString('en-US')} questions asked again and again`,
      figure: `${perSecond(ours.perSecond)}, p99 ${ours.p99Ms.toFixed(1)} ms, ${ours.cpuUs.toFixed(0)} us`,
      beside: 'all headers, quotas and checks on',
    },
    ...names.map((name) => ({
      what: `  ${RIVALS_SAY[name]}`,
      figure: `${perSecond(found[name].perSecond)}, p99 ${found[name].p99Ms.toFixed(1)} ms, ${found[name].cpuUs.toFixed(0)} us`,
      beside: `ours is ${times(ours.perSecond, found[name].perSecond)}${AT_LEAST[name] ? ` (at least ${AT_LEAST[name]}x)` : ''}`,
      ratio: { name: `reference warm / ${name}`, value: ours.perSecond / found[name].perSecond },
    })),
  ]
}

/** Each question on two days: what is asked of another day is another question. */
async function cold(warm: Target, folder: string, questions: readonly URLSearchParams[]): Promise<Line> {
  const asks = DAYS.flatMap((day) => questions.map((question) => ({ path: pathOf(onDay(question, day)) })))
  const { ours: found } = await onceBeside({ ours: { warm, once: asks } }, folder)
  return {
    what: '/reference, each question once, drawn evenly from all rows',
    figure: `${perSecond(found.cold.perSecond)}, p99 ${found.cold.p99Ms.toFixed(1)} ms, ${found.cold.cpuUs.toFixed(0)} us`,
    beside: `${times(found.cold.perSecond, found.warm.perSecond)} of warm in turn with it (at least 0.40x)`,
    ratio: { name: 'reference cold / warm', value: found.cold.perSecond / found.warm.perSecond },
  }
}

/** As many as one caller may have under way where the work is heavy. */
const HEAVY_CONNECTIONS = 8

/** The other routes that agents use most. */
async function others(service: Service, agentKey: string, folder: string, warm: readonly string[]): Promise<Line[]> {
  const token = await railsToken(service, agentKey)
  const lines = warm.slice(0, 100).map((path) => Object.fromEntries(new URLSearchParams(path.split('?')[1])))
  const cpt = lines[0]?.['cpt'] as string
  const routes: { what: string; asks: Ask[]; headers?: string[] }[] = [
    {
      what: 'POST /reference/batch, 100 lines',
      asks: [{ method: 'POST', path: '/reference/batch', body: JSON.stringify({ lines }) }],
      headers: ['Content-Type: application/json'],
    },
    {
      what: '/api/registry, a page of 200',
      asks: Array.from({ length: 100 }, (_, i) => ({
        path: `/api/registry?as_of=2026-08-15&limit=200&offset=${i * 200}`,
      })),
      headers: [`X-Agent-Rails: ${token}`],
    },
    { what: '/reference/sheet', asks: [{ path: `/reference/sheet?cpt=${cpt}&region=US-IL-16&as_of=2026-08-15` }] },
    {
      what: '/mcp, tools/call of lookup_price',
      asks: lines.map((question, id) => ({ method: 'POST', path: '/mcp', body: mcpCall(id, question) })),
      headers: [
        'Content-Type: application/json',
        'Accept: application/json, text/event-stream',
        'MCP-Protocol-Version: 2025-06-18',
      ],
    },
    { what: '/ (landing page)', asks: [{ path: '/' }], headers: ['Accept: text/html'] },
    { what: '/api/openapi.json', asks: [{ path: '/api/openapi.json' }] },
  ]
  const found: Line[] = []
  for (const { what, asks, headers = [] } of routes) {
    const requests = writeRequests(join(folder, 'other'), asks)
    const {
      perSecond: rate,
      p99Ms,
      cpuUs,
    } = await load({ port: service.port, pids: service.pids, requests, headers, connections: HEAVY_CONNECTIONS }, 2)
    found.push({
      what,
      figure: `${perSecond(rate)}, p99 ${p99Ms.toFixed(1)} ms`,
      beside: `${cpuUs.toFixed(0)} us each`,
    })
  }
  return found
}

const mcpCall = (id: number, question: object): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'lookup_price', arguments: question },
  })

async function railsToken({ url }: Service, agentKey: string): Promise<string> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { 'x-agent-key': agentKey, 'content-type': 'application/json' }
    return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as never
  }
  const { nonce } = await post('/api/agent-rails/challenge', {})
  return (await post('/api/agent-rails/attest', { nonce }))['rails_token'] as string
}

function memory({ peakBytes }: Service): Line {
  const mebibytes = Math.round(peakBytes() / MEBIBYTE)
  return { what: 'memory of the service at most', figure: `${mebibytes} MiB`, beside: 'limit 300 MiB' }
}
