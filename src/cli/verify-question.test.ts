import { expect, test } from 'bun:test'
import type { Manifest } from '../proof/price/release.ts'
import { nameOf } from '../proof/price/timeline.ts'
import { standsAt } from '../proof/whole/asked.ts'
import { isLapsed, questionFrom } from './verify-question.ts'

const URL = 'https://registry.example'
const PAGE = JSON.stringify({ data: [], page: {}, as_of: '2026-07-15' })
const SHEET = JSON.stringify({ data: [], as_of: '2026-07-15' })
const HISTORY = JSON.stringify({ data: [], page: {} })
const NOTE =
  'registry.example/log/registry\n3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n— registry.example/log/registry AAAAAAAA\n'

test('the address has the question, whatever the answer from it', () => {
  for (const text of [PAGE, SHEET, HISTORY, NOTE, '{}', 'x'])
    expect([
      questionFrom(`${URL}/reference?cpt=99213&as_of=2026-07-15&setting=facility&region=&proof=full`, text, {}),
      questionFrom(`${URL}/reference/sheet?cpt=99213&as_of=2026-07-15&proof=full`, text, {}),
      questionFrom(`${URL}/reference/history?cpt=99213&offset=20&limit=10&proof=full`, text, {}),
      questionFrom(`${URL}/api/registry?chart=cms-pfs&as_of=2026-07-15&limit=5&offset=10`, text, {}),
      questionFrom(`${URL}/api/coverage?as_of=2026-07-15`, text, {}),
      questionFrom(`${URL}/api/releases?state=withdrawn`, text, {}),
      questionFrom(`${URL}/api/figures`, text, {}),
      questionFrom(`${URL}/log/registry/checkpoint`, text, {}),
      questionFrom(`${URL}/rows/cms-pfs:RVU26C:1/989`, text, {}),
    ]).toEqual([
      { question: { cpt: '99213', as_of: '2026-07-15', setting: 'facility' } },
      { sheet: { cpt: '99213', as_of: '2026-07-15' } },
      { history: { cpt: '99213', offset: 20 } },
      { page: { chart: 'cms-pfs', as_of: '2026-07-15' } },
      { coverage: { as_of: '2026-07-15', offset: 0 } },
      { releases: { state: 'withdrawn', offset: 0 } },
      { figures: true },
      { anyQuestion: true, checkpoint: true },
      { anyQuestion: true, permalink: { release_id: 'cms-pfs:RVU26C:1', index: 989 } },
    ])
})

test('no part of a question is dropped, so that a part that a proof does not cover is refused', () => {
  const asked = 'cpt=99213&as_of=2026-07-15&setting=non_facility&modifier=26'
  expect(questionFrom(`${URL}/reference/sheet?${asked}`, SHEET, {})).toMatchObject({
    sheet: { setting: 'non_facility', modifier: '26' },
  })
  expect(questionFrom(`${URL}/api/registry?${asked}`, PAGE, {})).toMatchObject({ page: { modifier: '26' } })
})

test('the question for a file is on the command line, as parts of a lookup or as an address', () => {
  const parts = { cpt: '99213', 'as-of': '2026-07-15', setting: 'facility' }
  for (const text of [PAGE, SHEET, HISTORY, NOTE])
    expect(questionFrom('answer.json', text, parts)).toEqual({
      question: { cpt: '99213', as_of: '2026-07-15', setting: 'facility' },
    })
  expect(questionFrom('-', PAGE, { asked: '/reference/sheet?cpt=99213&as_of=2026-07-15' })).toEqual({
    sheet: { cpt: '99213', as_of: '2026-07-15' },
  })
  expect(() => questionFrom('-', PAGE, { ...parts, asked: '/api/registry' })).toThrow('not both')
  expect(() => questionFrom(`${URL}/reference?cpt=99213`, PAGE, { cpt: '99214' })).toThrow('not both')
  expect(() => questionFrom(`${URL}/index.html`, PAGE, {})).toThrow('not an address of an answer')
  // The service refuses these, so no answer is one to them.
  for (const asked of ['/reference?cpt=99213&cpt=99214', '/reference?cpt=&cpt=99214', '/reference/%', 'http://', '//['])
    expect(() => questionFrom('-', PAGE, { asked })).toThrow('not an address of an answer')
})

test('a bill is checked line by line with the request that was sent', () => {
  const lines = [
    { cpt: '99213', units: 2 },
    { cpt: '80053', as_of: '2026-07-01' },
    { cpt: '99214', as_of: '' },
  ]
  expect(questionFrom('bill.json', '{}', { lines: JSON.stringify({ lines }), 'as-of': '2026-07-15' })).toEqual({
    questions: [
      { cpt: '99213', units: 2, as_of: '2026-07-15' },
      { cpt: '80053', as_of: '2026-07-01' },
      { cpt: '99214', as_of: '2026-07-15' },
    ],
  })
  expect(() => questionFrom('bill.json', '{}', { lines: '[]' })).toThrow('list of lines')
})

test('only answers that need no question are checked without one: a checkpoint, figures, changes, a whole list', () => {
  expect(questionFrom('-', NOTE, {})).toEqual({ anyQuestion: true, checkpoint: true })
  expect(questionFrom('-', JSON.stringify({ data: [], from: 0 }), {})).toEqual({ releases: {} })
  expect(questionFrom('-', JSON.stringify({ data: [{ seq: 1 }], states: [] }), {})).toEqual({ anyQuestion: true })
  for (const text of [PAGE, SHEET, HISTORY, SHEET.replace('[]', '[{}]'), '{"code":"99213"}'])
    expect(() => questionFrom('-', text, {})).toThrow('give the question')
})

test('the place of a row, and whether it is in force on no day, come from its proof', () => {
  const [other, release] = ['cms-pfs:RVU26B:1', 'cms-pfs:RVU26C:1'].map((release_id) => ({ release: { release_id } }))
  const body = { row: { release: 1, index: 5 }, proof: { releases: [other, release] } }
  expect(standsAt(body, { release_id: 'cms-pfs:RVU26C:1', index: 5 })).toBe(true)
  expect(standsAt(body, { release_id: 'cms-pfs:RVU26B:1', index: 5 })).toBe(false)
  expect(standsAt(body, { release_id: 'cms-pfs:RVU26C:1', index: 6 })).toBe(false)
  expect(standsAt({}, { release_id: 'cms-pfs:RVU26C:1', index: 5 })).toBe(false)
  const leaves = [[0, { release: nameOf(release?.release as Manifest) }]]
  const inForce = { ...body, proof: { ...body.proof, timeline: { leaves } } }
  expect([body, inForce, {}].map((each) => isLapsed(JSON.stringify(each)))).toEqual([true, false, false])
})
