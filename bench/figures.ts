import { join } from 'node:path'
import { readConfig } from '../src/config.ts'
import { insertProviders } from '../src/figures/ledger/directory.ts'
import { createInstallation } from '../src/installation.ts'
import { isNpi } from '../src/proof/lookup/npi.ts'
import { temporaryFolder } from '../test/support/folder.ts'
import { outcomesFile } from '../test/support/outcomes.ts'
import type { Line } from './measure.ts'

const BATCH = 100_000
const BATCHES = 10
const PROVIDERS = 2000

/** A ledger of a million cases, file by file, and a release over it. Every number here is invented. */
export async function figures(): Promise<Line[]> {
  using folder = temporaryFolder()
  const env = { DATA_DIR: join(folder.path, 'data') }
  const npis = someNpis(PROVIDERS)
  await createInstallation(readConfig(env), { origin: 'bench.example', now: Date.now() }, async ({ db }) => {
    await insertProviders(db, npis)
  })
  const imports: Step[] = []
  for (let n = 1; n <= BATCHES; n++) {
    const file = join(folder.path, 'outcomes.csv')
    await Bun.write(file, outcomesFile(n, BATCH, npis))
    imports.push(await run(env, ['import', file]))
  }
  const [first, last] = [imports[0] as Step, imports.at(-1) as Step]
  const release = await run(env, ['release'])
  return [
    { what: '100,000 outcomes into an empty ledger', figure: took(first), beside: 'goal: 5 s' },
    { what: '100,000 outcomes into a ledger of 900,000', figure: took(last), beside: 'goal: 5 s' },
    {
      what: `release over 1,000,000 cases of ${PROVIDERS} providers`,
      figure: took(release),
      beside: 'goal: 2 s, 200 MiB',
    },
  ]
}

interface Step {
  seconds: number
  bytes: number
}

async function run(env: Record<string, string>, args: string[]): Promise<Step> {
  const command = [process.execPath, join(import.meta.dir, 'figures-child.ts'), ...args]
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'inherit' })
  return (await new Response(child.stdout).json()) as Step
}

const took = ({ seconds, bytes }: Step): string => `${seconds.toFixed(2)} s, ${Math.round(bytes / 1024 ** 2)} MiB`

function someNpis(n: number): string[] {
  const found: string[] = []
  for (let base = 1_000_000_000; found.length < n; base++) if (isNpi(String(base))) found.push(String(base))
  return found
}
