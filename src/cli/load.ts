import { parseArgs } from 'node:util'
import { importProviders } from '../figures/directory.ts'
import { openBytes } from '../ingest/byte-stream.ts'
import { LOAD_KINDS, load as loadSource } from '../ingest/load.ts'
import { readMember } from '../ingest/source.ts'
import { loadZipLocalities } from '../ingest/zip-localities.ts'
import { openInstallation } from '../installation.ts'
import { Problem } from '../problem.ts'
import { checksOf } from '../registry/check-store.ts'
import { publish } from '../registry/publish.ts'
import { type Command, DONE, show, UsageFault } from './command.ts'
import { OVERRIDE_OPTIONS, overridesFrom } from './overrides.ts'
import { ProgressLine, summaryText } from './progress.ts'

const OPTIONS = {
  edition: { type: 'string' },
  'effective-from': { type: 'string' },
  url: { type: 'string' },
  'retrieved-at': { type: 'string' },
  npi: { type: 'string', multiple: true },
  regions: { type: 'string' },
  sample: { type: 'boolean', default: false },
  publish: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  ...OVERRIDE_OPTIONS,
} as const

/** What was read is told also where the breaker then holds it: it says why. */
function orHeld(error: unknown): Problem {
  if (error instanceof Problem && error.code === 'release_held') return error
  throw error
}

export const load: Command = {
  usage: `load <${[...LOAD_KINDS, 'zip-localities', 'providers'].join('|')}> <file...> [options] [--publish] [--json]`,
  summary:
    'Reads a source into a staged release: --edition, --effective-from, --url, --retrieved-at, --npi, --regions, --sample',
  async run(args, config) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    const [kind = '', first, ...more] = positionals
    if (first === undefined) throw new UsageFault('say what kind of file to load, and which')
    const overrides = overridesFrom(values)
    const { db, registryLog, cosign } = await openInstallation(config)
    try {
      if (kind === 'zip-localities') {
        const { zips } = await loadZipLocalities(db, await readMember(first, /^ZIP5_[A-Z]{3}[0-9]{4}/i))
        show(values.json, { zips }, `${zips} ZIP codes`)
        return DONE
      }
      if (kind === 'providers') {
        const { chunks } = await openBytes(first)
        const found = await importProviders(db, chunks)
        show(values.json, found, `${found.providers} organisations, ${found.added} of them new`)
        return DONE
      }
      const options = {
        edition: values.edition,
        effective_from: values['effective-from'],
        ...(values.url === undefined ? {} : { url: values.url }),
        ...(values['retrieved-at'] === undefined ? {} : { retrieved_at: values['retrieved-at'] }),
        npis: values.npi,
        regions: values.regions?.split(',').map((region) => region.trim()),
        data_class: values.sample ? ('sample' as const) : ('published' as const),
      }
      const started = performance.now()
      const line = new ProgressLine(process.stderr, () => performance.now())
      const { release, already, written, judged_without, shares_npis_with } = await loadSource(
        db,
        kind,
        [first, ...more],
        options,
        Date.now(),
        (progress) => line.update(progress),
      )
      line.clear()
      const publishing = values.publish && release.state === 'staged'
      const published = publishing
        ? await publish({ db, log: registryLog, cosign }, release.release_id, Date.now(), overrides).catch(orHeld)
        : release
      const { state } = published instanceof Problem ? release : published
      const { release_id, row_count, rejected_count } = release
      if (already) {
        const told = { release_id, state, row_count, rejected_count, already }
        show(values.json, told, `${release_id} ${state}: had been loaded before: nothing to do`)
        if (published instanceof Problem) throw published
        return DONE
      }
      const seconds = (performance.now() - started) / 1000
      const summary = {
        release_id,
        state,
        rows: row_count,
        absences: written.absences,
        rejected: rejected_count,
        seconds: Math.round(seconds * 1000) / 1000,
        rows_per_second: Math.round(row_count / seconds),
        checks: (await checksOf(db, release.release_no)).map(({ rule, severity, failed, sample_lines }) => ({
          rule,
          severity,
          failed,
          sample_lines,
        })),
        judged_without,
        shares_npis_with,
      }
      show(values.json, { ...summary, row_count, rejected_count, already }, summaryText(summary))
      if (published instanceof Problem) throw published
      return DONE
    } finally {
      await db.close()
    }
  },
}
