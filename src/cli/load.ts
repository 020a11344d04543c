import { parseArgs } from 'node:util'
import { importProviders } from '../figures/directory.ts'
import { LOAD_KINDS, load as loadSource } from '../ingest/load.ts'
import { readSource } from '../ingest/source.ts'
import { loadZipLocalities } from '../ingest/zip-localities.ts'
import { openInstallation } from '../installation.ts'
import { Problem } from '../problem.ts'
import { publish } from '../registry/publish.ts'
import { type Command, DONE, show, UsageFault } from './command.ts'

const OPTIONS = {
  edition: { type: 'string' },
  'effective-from': { type: 'string' },
  url: { type: 'string' },
  'retrieved-at': { type: 'string' },
  npi: { type: 'string', multiple: true },
  sample: { type: 'boolean', default: false },
  publish: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

export const load: Command = {
  usage: `load <${[...LOAD_KINDS, 'zip-localities', 'providers'].join('|')}> <file...> [options] [--publish] [--json]`,
  summary: 'Reads a source into a staged release: --edition, --effective-from, --url, --retrieved-at, --npi, --sample',
  async run(args, config) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    const [kind = '', first, ...more] = positionals
    if (first === undefined) throw new UsageFault('say what kind of file to load, and which')
    const { db, registryLog, cosign } = await openInstallation(config)
    try {
      if (kind === 'zip-localities') {
        const { zips } = await loadZipLocalities(db, await readSource(first))
        show(values.json, { zips }, `${zips} ZIP codes`)
        return DONE
      }
      if (kind === 'providers') {
        if (!(await Bun.file(first).exists())) throw new Problem('source_unreadable', 'there is no such file')
        const found = await importProviders(db, Bun.file(first).stream())
        show(values.json, found, `${found.providers} organisations, ${found.added} of them new`)
        return DONE
      }
      const options = {
        edition: values.edition,
        effective_from: values['effective-from'],
        ...(values.url === undefined ? {} : { url: values.url }),
        ...(values['retrieved-at'] === undefined ? {} : { retrieved_at: values['retrieved-at'] }),
        npis: values.npi,
        data_class: values.sample ? ('sample' as const) : ('published' as const),
      }
      const { release, already } = await loadSource(db, kind, [first, ...more], options, Date.now())
      const publishing = values.publish && release.state === 'staged'
      const { state } = publishing
        ? await publish({ db, log: registryLog, cosign }, release.release_id, Date.now())
        : release
      const { release_id, row_count, rejected_count } = release
      const said = already ? 'had been loaded before: nothing to do' : `${row_count} rows, ${rejected_count} rejected`
      show(values.json, { release_id, state, row_count, rejected_count, already }, `${release_id} ${state}: ${said}`)
      return DONE
    } finally {
      await db.close()
    }
  },
}
