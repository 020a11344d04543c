// The servers that ours is measured beside. Each does less: no questions, no quotas, no proofs.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL, type Subprocess } from 'bun'
import { freePort } from '../test/support/port.ts'
import { PostgresServer, whyNoPostgres } from '../test/support/postgres.ts'
import { family, outputOf, pinned, ready, SERVER_CORE } from './measure.ts'
import type { Ask, Target } from './wrk.ts'

const RIVALS = join(import.meta.dir, 'rivals')
const NGINX = Bun.which('nginx', { PATH: `${process.env['PATH']}:/usr/sbin` })

export interface Rival extends Target {
  asks: Ask[]
  stop: () => Promise<void>
}

async function start(asks: Ask[], command: (port: number) => readonly string[]): Promise<Rival> {
  const port = await freePort()
  const child: Subprocess = Bun.spawn(pinned(SERVER_CORE, command(port)), {
    cwd: RIVALS,
    stdout: 'ignore',
    stderr: 'inherit',
  })
  await ready(`http://127.0.0.1:${port}${asks[0]?.path}`, child)
  return {
    port,
    pids: await family(child.pid),
    asks,
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

export type Answers = readonly (readonly [path: string, body: string])[]

/** A bare Bun.serve with a Map of the same bytes. */
export function bareBun(folder: string, answers: Answers): Promise<Rival> {
  const json = join(folder, 'answers.json')
  writeFileSync(json, JSON.stringify(answers))
  const asks = answers.map(([path]) => ({ path }))
  return start(asks, (port) => [process.execPath, join(RIVALS, 'bare-bun.ts'), String(port), json])
}

export const whyNoNginx = NGINX === null ? 'nginx is not installed' : undefined

/** One worker of nginx with the same bytes as files, and the options that its manual gives for many small files. */
export function nginx(folder: string, answers: Answers): Promise<Rival> {
  const root = join(folder, 'static')
  mkdirSync(root)
  for (const [i, [, body]] of answers.entries()) writeFileSync(join(root, `${i}.json`), body)
  const config = join(folder, 'nginx.conf')
  const asks = answers.map((_, i) => ({ path: `/${i}.json` }))
  return start(asks, (port) => {
    writeFileSync(
      config,
      `daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  open_file_cache max=10000 inactive=60s; open_file_cache_valid 60s; etag on;
  types { application/json json; }
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`,
    )
    return [NGINX ?? 'nginx', '-c', config, '-p', folder]
  })
}

export const whyNoFastify = whyNoPostgres()

const ROWS = 100_000

/** Fastify with `pg`: one SELECT by key for each request, of a row without a proof. */
export async function fastify(row: string): Promise<Rival> {
  if (!existsSync(join(RIVALS, 'node_modules/fastify')))
    await outputOf(['npm', 'ci', '--prefix', RIVALS, '--no-audit', '--no-fund', '--ignore-scripts'])
  const server = await PostgresServer.start()
  const address = await server.database()
  const sql = new SQL(address)
  const keyOf = (i: number): string => `${10_000 + i}|US-IL-16`
  await sql`CREATE TABLE price_row (row_key TEXT PRIMARY KEY, body TEXT NOT NULL)`
  for (let i = 0; i < ROWS; i += 1_000)
    await sql`INSERT INTO price_row ${sql(Array.from({ length: 1_000 }, (_, j) => ({ row_key: keyOf(i + j), body: row })))}`
  await sql`ANALYZE price_row`
  await sql.end()
  const asks = Array.from({ length: ROWS }, (_, i) => ({ path: `/row/${keyOf((i * 7_919) % ROWS)}` }))
  const rival = await start(asks, (port) => ['node', join(RIVALS, 'fastify-pg.mjs'), String(port), address])
  return {
    ...rival,
    async stop() {
      await rival.stop()
      await server.remove()
    },
  }
}
