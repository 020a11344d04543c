import { expect, test } from 'bun:test'
import {
  A_CLAIM_835,
  A_COPIED_TEXT,
  A_CSV,
  A_MEDICARE_TEXT,
  an835,
  an837,
  anEob,
  CANARIES,
  LINES_837,
} from './fixture.ts'
import { keepLine } from './keep.ts'
import { readStatement } from './statement.ts'

const PAPERS = {
  fhir: JSON.stringify(anEob()),
  claim: an837(LINES_837),
  remittance: an835(A_CLAIM_835),
  table: A_CSV,
  medicare: A_MEDICARE_TEXT,
  text: A_COPIED_TEXT,
}

/** Every member that a line, a request and a paper may have, and the form of its values. */
const FORMS: Readonly<Record<string, RegExp>> = {
  kind: /^(?:hospital|professional|surgery_center|equipment)$/,
  npi: /^[12][0-9]{9}$/,
  type_of_bill: /^[1-9][0-9]{2}$/,
  day: /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/,
  code: /^(?:[0-9]{4}[0-9A-Z]|[A-Z][0-9]{4}|NDC-[0-9]{11})$/,
  modifiers: /^[0-9A-Z]{2}$/,
  revenue_code: /^[0-9]{4}$/,
  place_of_service: /^[0-9]{2}$/,
  units: /^[0-9]{1,7}(?:\.[0-9]{1,4})?$/,
  billed: /^-?[0-9]+\.[0-9]{2}$/,
  allowed: /^-?[0-9]+\.[0-9]{2}$/,
  patient: /^-?[0-9]+\.[0-9]{2}$/,
  estimate: /^[0-9]+\.[0-9]{2}$/,
}

test('nothing of a person leaves a reader, wherever in a paper it stands', async () => {
  for (const [name, text] of Object.entries(PAPERS)) {
    const statement = await readStatement(text)
    expect([name, statement.ok]).toEqual([name, true])
    const told = JSON.stringify(statement).toLowerCase()
    // The paper has each canary that is looked for, or a part of it.
    expect(CANARIES.filter((canary) => text.toLowerCase().includes(canary.toLowerCase())).length).toBeGreaterThan(4)
    for (const canary of CANARIES)
      expect([name, canary, told.includes(canary.toLowerCase())]).toEqual([name, canary, false])
  }
})

test('a request has the members of a closed list, each in a form that holds no words', async () => {
  for (const text of Object.values(PAPERS)) {
    const statement = await readStatement(text)
    if (!statement.ok) throw new Error(statement.why)
    for (const { request } of statement.papers) {
      const { lines, totals = {}, ...others } = request
      for (const members of [others, totals, ...lines])
        for (const [name, value] of Object.entries(members))
          for (const each of [value].flat()) expect([name, FORMS[name]?.test(String(each))]).toEqual([name, true])
    }
  }
})

test('a word in the place of a code, a modifier, a revenue code, a place or units is not kept', () => {
  const word = 'ZEBULON'
  expect(keepLine({ code: word })).toEqual({ why: 'code_form' })
  expect(keepLine({ code: '99213', revenue: word })).toEqual({ why: 'revenue_form' })
  expect(keepLine({ code: '99213', modifiers: [word], place: word, units: word })).toEqual({
    line: { code: '99213' },
    notes: ['modifier_left_out', 'units_left_out'],
  })
})

test('drug numbers get their eleven digits where the hyphens say how, and ten bare digits are refused', () => {
  const codeOf = (code: string): unknown => keepLine({ code, system: 'ndc' })
  expect(codeOf('0777-3105-02')).toMatchObject({ line: { code: 'NDC-00777310502' } })
  expect(codeOf('00777310502')).toMatchObject({ line: { code: 'NDC-00777310502' } })
  expect(codeOf('0777310502')).toEqual({ why: 'code_form' })
})
