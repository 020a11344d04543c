import { parseArgs } from 'node:util'
import { chartOf } from '../registry/charts.ts'
import { moveProvider } from '../registry/release/provider-move.ts'
import { MOVE_REASONS } from '../tables/service-reasons.ts'
import { type Command, DONE, JSON_OPTION, openStore, show, UsageFault, unknownAction } from './command.ts'

const ACTIONS = {
  move: {
    usage: 'providers move NPI CHART --reason CODE [--json]',
    summary: 'Lets another hospital file speak for an NPI: from now on its prices are answered from that file',
    options: [['--reason CODE', MOVE_REASONS.join(', ')], JSON_OPTION],
    examples: [
      [
        `providers move 1234567893 hospital-mrf:1245319599 --reason ${MOVE_REASONS[0]}`,
        'the file of 1245319599 speaks for 1234567893',
      ],
    ],
  },
} as const

export const providers: Command = {
  usage: 'providers ACTION',
  summary: 'Decides which hospital file speaks for an NPI',
  actions: ACTIONS,
  async run(args, config) {
    const options = { json: { type: 'boolean', default: false }, reason: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [action = '', npi = '', chart = '', ...more] = positionals
    if (action !== 'move') throw unknownAction('providers', action, ACTIONS)
    if (more.length > 0) throw new UsageFault('name one NPI and one chart: atr providers move NPI CHART --reason CODE')
    if (!/^[12][0-9]{9}$/.test(npi) || !chartOf(chart)?.perProvider)
      throw new UsageFault('name an NPI, and the chart that is to speak for it, such as hospital-mrf:1234567893')
    const reason = MOVE_REASONS.find((each) => each === values.reason)
    if (!reason) throw new UsageFault(`say why with --reason: ${MOVE_REASONS.join(', ')}`)
    const { db, registryLog, cosign } = await openStore(config)
    try {
      const moved = await moveProvider({ db, log: registryLog, cosign }, { npi, chart }, reason, Date.now())
      const before = moved.from === null ? '' : ` in place of ${moved.from}`
      show(values.json, moved, `${chart} speaks for ${npi}${before}: entry ${moved.log_index} of the registry log`)
      return DONE
    } finally {
      await db.close()
    }
  },
}
