import { parseArgs } from 'node:util'
import { openInstallation } from '../installation.ts'
import { Problem } from '../problem.ts'
import { publish } from '../registry/publish.ts'
import { findRelease, listReleases, rejectsOf } from '../registry/release-store.ts'
import { type Command, DONE, show, table, UsageFault } from './command.ts'

export const release: Command = {
  usage: 'release list | show ID | publish ID [--json]',
  summary: 'The life of a release',
  async run(args, config) {
    const [action = '', ...rest] = args
    const options = { json: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true })
    const { db, registryLog, cosign } = await openInstallation(config)
    const id = positionals[0] ?? ''
    try {
      switch (action) {
        case 'list': {
          const list = (await listReleases(db)).map(
            ({ release_id, state, effective_from, row_count, rejected_count, data_class }) => ({
              release_id,
              state,
              effective_from,
              row_count,
              rejected_count,
              data_class,
            }),
          )
          const rows = list.map((entry) => Object.values(entry).map(String))
          show(values.json, list, table([['release', 'state', 'effective', 'rows', 'rejected', 'class'], ...rows]))
          return DONE
        }
        case 'show': {
          const found = await findRelease(db, id)
          if (!found) throw new Problem('release_conflict', 'there is no such release')
          const rejects = await rejectsOf(db, found.release_no)
          const shown = { ...found, citations: JSON.parse(found.citations) as unknown, rejects }
          show(values.json, shown, JSON.stringify(shown, null, 2))
          return DONE
        }
        case 'publish': {
          const { release_id, log_index } = await publish({ db, log: registryLog, cosign }, id, Date.now())
          show(
            values.json,
            { release_id, log_index },
            `published ${release_id} as entry ${log_index} of the registry log`,
          )
          return DONE
        }
        default:
          throw new UsageFault('release takes list, show or publish')
      }
    } finally {
      await db.close()
    }
  },
}
