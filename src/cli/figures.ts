import { parseArgs } from 'node:util'
import { importOutcomes } from '../figures/ledger.ts'
import { releaseFigures } from '../figures/release.ts'
import { openInstallation } from '../installation.ts'
import { Problem } from '../problem.ts'
import { type Command, DONE, show, UsageFault } from './command.ts'

export const outcomes: Command = {
  usage: 'outcomes import <csv> [--sample] [--json]',
  summary: 'Adds a file of dispute outcomes to the ledger, whole or not at all',
  async run(args, config) {
    const options = { sample: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [action, path] = positionals
    if (action !== 'import' || path === undefined) throw new UsageFault('outcomes takes import and a file')
    const file = Bun.file(path)
    if (!(await file.exists())) throw new Problem('outcomes_refused', 'there is no such file')
    const { db } = await openInstallation(config)
    try {
      const data_class = values.sample ? 'sample' : 'published'
      const done = await importOutcomes(db, file.stream(), { now: Date.now, data_class })
      show(
        values.json,
        done,
        done.already_imported ? 'imported before: nothing to do' : `${done.cases} cases, batch ${done.batch_id}`,
      )
      return DONE
    } finally {
      await db.close()
    }
  },
}

export const figures: Command = {
  usage: 'figures release [--json]',
  summary: 'Publishes the figures of the ledger under the disclosure rule',
  async run(args, config) {
    const options = { json: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (positionals[0] !== 'release') throw new UsageFault('figures takes release')
    const { db, figuresLog, cosign } = await openInstallation(config)
    try {
      const { release_id, changes } = await releaseFigures({ db, log: figuresLog, now: Date.now, cosign })
      show(values.json, { release_id, changes }, `released ${release_id}: ${changes} changes`)
      return DONE
    } finally {
      await db.close()
    }
  },
}
