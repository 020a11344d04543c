// A service that lies about a bill: it changes what an honest one would say, hides rows or editions, or answers about another bill.

import { describe, expect, test } from 'bun:test'
import { type AdmittedLeaves, everything } from '../answer-fixture.ts'
import { rowKey } from '../price/row.ts'
import { aRow } from '../registry-fixture.ts'
import { verifyBody } from '../verify-lists.ts'
import type { StatedBill } from './bill.ts'
import {
  aBill,
  aLimit,
  aService,
  aTest,
  billAnswer,
  EVERY_CHART,
  policy,
  publishEdits,
  registryWith,
  somePairs,
} from './check-fixture.ts'

const NPI = '1234567893'
const registry = registryWith({
  'cms-opps': [
    aService('99284', 'V', '400.00'),
    aService('96374', 'S', '190.00'),
    aService('80053', 'A'),
    aService('82947', 'A'),
  ],
  'cms-clfs': [aTest('80053', '10.56'), aTest('82947', '3.93'), aTest('85025', '7.77')],
  'ncci-ptp-outpatient': [somePairs('80053', ['82947', 1]), somePairs('99284', ['96374', 1])],
  'ncci-ptp-practitioner': [somePairs('80053', ['82947', 0])],
  'ncci-mue-outpatient': [aLimit('80053', 1, 3), aLimit('99284', 2, 3), aLimit('85025', 4, 3)],
  'ncci-mue-practitioner': [aLimit('85025', 2, 2)],
})
registry.publish(
  [
    aRow({
      code: '80053',
      basis: 'hospital_gross',
      npi: NPI,
      class: 'facility',
      setting: 'outpatient',
      amount: '300.00',
    } as never),
  ],
  {
    chart: `hospital-mrf:${NPI}`,
    providers: [NPI],
  },
)
// The pair of the quarter before, which is over.
publishEdits(registry, [{ ...somePairs('80053', ['85025', 0]), effective_from: '2026-04-01' }], {
  chart: 'ncci-ptp-outpatient',
  edition: '2026B',
  effective_from: '2026-04-01',
  effective_to: '2026-06-30',
})

const bill: StatedBill = {
  ...aBill('hospital', '80053 310.00', '82947 62.00', '99284-25 2187.00', '96374 620.00', '85025 x5 100.00'),
  npi: NPI,
}
const verdict = async (body: unknown, asked: unknown = { bill }): Promise<string> => {
  const checked = await verifyBody(JSON.stringify(body), policy, asked as never)
  return checked.ok ? 'ok' : checked.reason
}
const honest = (await billAnswer(registry, bill)).body as {
  [member: string]: never
  lines: never
  findings: never
}
type Body = {
  side: { kind: string }
  claim: string
  lines: {
    line: number
    medicare?: { amount: string; row: { release: number; index: number } }
    by_rules?: { amount: string; steps?: unknown[] }
  }[]
  findings: {
    rule: string
    lines: number[]
    says: string
    amount_at_issue?: string
    certainty: string
    evidence?: { release: number; index: number }[]
  }[]
  skipped: { rule: string; lines: number[] }[]
  sums: {
    medicare: { listed: string; at_most: string; by_rules: string }
    billed: string
    at_issue: string
    hospital_gross: string
  }
  proof: {
    releases: { release: object; rows: { leaves: [number, { edits?: unknown[]; units?: number }][] } }[]
    timeline?: unknown
  }
}
const changed = (change: (body: Body) => void): Body => {
  const body = structuredClone(honest) as unknown as Body
  change(body)
  return body
}

test('the honest answer holds, and only with its own bill', async () => {
  expect(await verdict(honest)).toBe('ok')
  expect(await verdict(honest, { anyQuestion: true })).toBe('ok')
  expect(await verdict(honest, {})).toBe('answers_another_question')
  expect(await verdict(honest, { question: { cpt: '80053', as_of: '2026-07-15' } })).toBe('answers_another_question')
})

describe('a changed answer is refused', () => {
  const lies: [string, (body: Body) => void][] = [
    ['a finding is left out', ({ findings }) => findings.shift()],
    [
      'a finding is left out with its step',
      (body) => {
        body.findings.shift()
        delete body.lines[1]?.by_rules?.steps
      },
    ],
    [
      'a finding is invented',
      ({ findings }) => findings.push({ ...(findings[0] as Body['findings'][number]), lines: [3, 4] }),
    ],
    [
      'a finding is about other lines',
      ({ findings }) => {
        ;(findings[0] as Body['findings'][number]).lines = [1]
      },
    ],
    [
      'a finding is surer than it is',
      ({ findings }) => {
        for (const each of findings) each.certainty = 'rule'
      },
    ],
    [
      'a finding says more than it does',
      ({ findings }) => {
        ;(findings[0] as Body['findings'][number]).says += ' Do not pay.'
      },
    ],
    [
      'more is at issue',
      ({ findings }) => {
        ;(findings[0] as Body['findings'][number]).amount_at_issue = '9999.00'
      },
    ],
    [
      'evidence points to another row',
      ({ findings }) => {
        for (const { evidence = [] } of findings) for (const each of evidence) each.index += 1
      },
    ],
    [
      'evidence points to no release',
      ({ findings }) => {
        for (const { evidence = [] } of findings) for (const each of evidence) each.release = 99
      },
    ],
    [
      'a price is another',
      ({ lines }) => {
        for (const { medicare } of lines) if (medicare) medicare.amount = '0.01'
      },
    ],
    [
      'a price points to another row',
      ({ lines }) => {
        for (const { medicare } of lines) if (medicare?.row) medicare.row.index = 0
      },
    ],
    [
      'a line is paid that is not',
      ({ lines }) => {
        for (const { by_rules } of lines) if (by_rules) by_rules.amount = '1.00'
      },
    ],
    ['two lines are swapped', ({ lines }) => lines.reverse()],
    ['a line is dropped', ({ lines }) => lines.pop()],
    [
      'a line is dropped from a sum',
      ({ sums }) => {
        sums.medicare.listed = '590.00'
      },
    ],
    [
      'a sum by the rules is another',
      ({ sums }) => {
        sums.medicare.by_rules = sums.medicare.at_most
      },
    ],
    [
      'the sum at issue is another',
      ({ sums }) => {
        sums.at_issue = sums.billed
      },
    ],
    [
      'the hospital’s sum is another',
      ({ sums }) => {
        sums.hospital_gross = '1.00'
      },
    ],
    [
      'what was skipped is passed',
      (body) => {
        body.skipped = []
      },
    ],
    ['a line of what was skipped is passed', ({ skipped }) => skipped[0]?.lines.pop()],
    [
      'it is of another side',
      ({ side }) => {
        side.kind = 'professional'
      },
    ],
    [
      'the claim is another',
      (body) => {
        body.claim = 'total'
      },
    ],
    [
      'it says something more',
      (body) => {
        ;(body as unknown as { note: string }).note = 'x'
      },
    ],
    [
      'it says that a table answered for an earlier day',
      (body) => {
        ;(body as unknown as { by_history: unknown }).by_history = [{ chart: 'ncci-ptp-outpatient', day: '2026-07-15' }]
      },
    ],
    [
      'it marks an edition as prolonged',
      (body) => {
        ;(body as unknown as { prolonged: unknown }).prolonged = [{ chart: 'cms-opps', publisher_until: '2026-07-01' }]
      },
    ],
    [
      'a pair is taken out of its row',
      ({ proof }) => {
        for (const { rows } of proof.releases)
          for (const [, row] of rows?.leaves ?? []) if (row.edits) row.edits = [['99999', 1, '2020-01-01', null, 1]]
      },
    ],
    [
      'a limit is raised in its row',
      ({ proof }) => {
        for (const { rows } of proof.releases) for (const [, row] of rows?.leaves ?? []) if (row.units) row.units = 9
      },
    ],
    [
      'a row is left out of the proof',
      ({ proof }) => {
        for (const { rows } of proof.releases) rows?.leaves.pop()
      },
    ],
    ['a release is left out of the proof', ({ proof }) => proof.releases.pop()],
    [
      'the timeline is left out of the proof',
      ({ proof }) => {
        delete proof.timeline
      },
    ],
    [
      'the proof is left out',
      (body) => {
        delete (body as Partial<Body>).proof
      },
    ],
  ]
  test.each(lies)('%s', async (_, lie) => {
    const body = changed((each) => void lie(each))
    expect(body).not.toEqual(honest as unknown as Body)
    expect(await verdict(body)).not.toBe('ok')
  })
})

describe('an answer to another bill is refused', () => {
  const lines = [...bill.lines]
  const others: [string, StatedBill][] = [
    ['other units', { ...bill, lines: [{ ...lines[0], units: '2' }, ...lines.slice(1)] }],
    [
      'another modifier',
      { ...bill, lines: [...lines.slice(0, 1), { ...lines[1], modifiers: ['59'] }, ...lines.slice(2)] },
    ],
    ['another day', { ...bill, day: '2026-06-15' }],
    ['another side', { ...bill, kind: 'professional' }],
    ['another charge', { ...bill, lines: [{ ...lines[0], billed: '311.00' }, ...lines.slice(1)] }],
    ['lines in another order', { ...bill, lines: lines.toReversed() }],
    ['a line less', { ...bill, lines: lines.slice(1) }],
    ['no hospital', { ...bill, npi: undefined }],
    ['a total', { ...bill, totals: { billed: '9.00' } }],
    ['no meaning', { ...bill, day: 'today' }],
  ]
  test.each(others)('%s', async (_, other) => {
    expect(await verdict(honest, { bill: other })).not.toBe('ok')
  })
})

/** A view from which some rows or editions are hidden: the best that a service can do which hides them. */
const hiding = (hidden: { row?: string; chart?: string; from?: string }): AdmittedLeaves => {
  const all = everything(registry)
  return {
    ...all,
    rows: (release) =>
      all.rows(release).filter(({ leaf }) => release.manifest.chart !== hidden.chart || rowKey(leaf) !== hidden.row),
    periods: all.periods.filter(
      ({ leaf }) =>
        leaf.chart !== hidden.chart ||
        hidden.row !== undefined ||
        (hidden.from !== undefined && leaf.from !== hidden.from),
    ),
  }
}

describe('a service that hides what it has is refused', () => {
  test('the row of a code, as if it had no pairs', async () => {
    const { body } = await billAnswer(registry, bill, hiding({ chart: 'ncci-ptp-outpatient', row: '80053' }))
    expect(await verdict(body)).toBe('choice_not_proved')
  })
  test('a limit, as if none were published', async () => {
    const { body } = await billAnswer(registry, bill, hiding({ chart: 'ncci-mue-outpatient', row: '85025' }))
    expect(await verdict(body)).toBe('choice_not_proved')
  })
  test('a whole table, as if there were no edition', async () => {
    const { body } = await billAnswer(registry, bill, hiding({ chart: 'ncci-mue-outpatient' }))
    expect(await verdict(body)).toBe('choice_not_proved')
  })
  test('the edition of the day, to answer by another one', async () => {
    const { body } = await billAnswer(registry, bill, hiding({ chart: 'ncci-ptp-outpatient', from: '2026-07-01' }))
    expect(await verdict(body)).toBe('choice_not_proved')
  })
  test('the prices of the schedule, as if the code were on none', async () => {
    const { body } = await billAnswer(
      registry,
      bill,
      hiding({ chart: 'cms-clfs', row: '80053|national||medicare_clfs||||' }),
    )
    expect(await verdict(body)).not.toBe('ok')
  })
})

test('an answer of another quarter, or of the table for practitioners, is refused for this bill', async () => {
  for (const other of [
    { ...bill, day: '2026-06-15' },
    { ...bill, kind: 'professional' as const },
  ]) {
    const { body } = await billAnswer(registry, other)
    expect(await verdict(body, { bill: other })).toBe('ok')
    expect(await verdict(body)).not.toBe('ok')
  }
})

test('a price that does not follow from its own inputs is refused, though it was published', async () => {
  const wrong = registryWith({
    ...EVERY_CHART,
    'cms-clfs': [
      aRow({ code: '80053', amount: '10.56', derivation: { method: 'verbatim/1', inputs: { rate: '10.57' } } }),
    ],
  })
  const asked = aBill('professional', '80053')
  expect(await verdict((await billAnswer(wrong, asked)).body, { bill: asked })).toBe('price_mismatch')
})

test('a table that answers by its history says so, and the mark cannot be left out', async () => {
  const later = registryWith({
    'cms-clfs': [aTest('80053', '10.56'), aTest('82947', '3.93')],
    'ncci-ptp-practitioner': [somePairs('80053', ['82947', 1])],
  })
  const asked = { ...aBill('professional', '80053', '82947'), day: '2026-05-15' }
  const { body } = await billAnswer(later, asked)
  expect(body['by_history']).toEqual([
    { chart: 'ncci-ptp-practitioner', day: '2026-05-15' },
    { chart: 'ncci-add-on', day: '2026-05-15' },
  ])
  expect(body['findings']).toMatchObject([{ rule: 'pair_not_paid_together', lines: [1, 2] }])
  expect(await verdict(body, { bill: asked })).toBe('ok')
  const { by_history: _, ...without } = body
  expect(await verdict(without, { bill: asked })).toBe('answers_another_question')
})

test('a prolonged edition is marked, and the mark cannot be left out', async () => {
  const prolonged = registryWith({})
  prolonged.publish([aTest('80053', '10.56')], {
    chart: 'cms-clfs',
    effective_from: '2026-10-01',
    effective_to: '2027-12-31',
    period_by: 'operator',
    publisher_until: '2026-12-31',
    edition: '2026D',
  })
  const asked = { ...aBill('hospital', '80053'), day: '2026-11-01' }
  const { body } = await billAnswer(prolonged, asked)
  expect(body['prolonged']).toEqual([{ chart: 'cms-clfs', publisher_until: '2026-12-31' }])
  expect(await verdict(body, { bill: asked })).toBe('ok')
  const { prolonged: _, ...without } = body
  expect(await verdict(without, { bill: asked })).toBe('answers_another_question')
})
