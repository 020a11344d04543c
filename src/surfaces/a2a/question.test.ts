import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { questionOfText } from './question.ts'
import { subjectOf, taskId } from './task.ts'

const inputOf = (text: string) => questionOfText(text)?.input

test('a text is read as the question that it asks', () => {
  expect(inputOf('price of 99213 in 60611')).toEqual({ cpt: '99213', region: '60611' })
  expect(inputOf('99213-26 in Illinois on 2026-03-01 at 1234567893')).toEqual({
    cpt: '99213',
    modifier: '26',
    region: 'US-IL',
    as_of: '2026-03-01',
    npi: '1234567893',
  })
  expect(inputOf("  What's the  Medicare price of j0585 at 1234567893 in new  york?")).toEqual({
    cpt: 'j0585',
    npi: '1234567893',
    region: 'US-NY',
  })
  expect(inputOf('99213')).toEqual({ cpt: '99213' })
  expect(inputOf('fee for cpt 70450 modifier TC in US-IL-16')).toEqual({
    cpt: '70450',
    modifier: 'TC',
    region: 'US-IL-16',
  })
  expect(inputOf('rate of 27447-LT-59 in 60611-1234.')).toEqual({
    cpt: '27447',
    modifier: 'LT-59',
    region: '60611-1234',
  })
  expect(inputOf('99213 in Chicago, IL 60611 on 11/2/2026')).toEqual({
    cpt: '99213',
    region: '60611',
    as_of: '2026-11-02',
  })
  // What can mean several places is not chosen for the caller: the lookup refuses it.
  expect(inputOf('99213 in Washington')).toEqual({ cpt: '99213', region: 'Washington' })
})

test('a text that is not wholly understood is no question', () => {
  for (const text of [
    '',
    'price',
    'price of',
    'price of knee',
    'hello',
    'price of 992133',
    '99213 please',
    '99213 in',
    '99213 in 60611 in 60612',
    '99213-26 modifier TC',
    '99213 and 99214',
    `99213 in ${'x'.repeat(400)}`,
  ])
    expect([text, questionOfText(text)]).toEqual([text, undefined])
  // What stands for a place, a day or a provider is the lookup's to judge: it refuses what it does not know.
  expect(inputOf('99213 in 60611; drop table')).toEqual({ cpt: '99213', region: '60611; drop table' })
})

test('no text takes long, or makes the reader fail', () => {
  const words = fc.constantFrom(
    'price',
    'of',
    'in',
    'on',
    'at',
    'modifier',
    '99213',
    '-26',
    ' ',
    'the',
    '?',
    'new york',
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), (parts) => void questionOfText(parts.join(' '))),
    { numRuns: 300 },
  )
  const started = performance.now()
  for (const word of ['in ', ' ', 'what is the ', 'a in ']) questionOfText(`99213 ${word.repeat(20_000)}`)
  expect(performance.now() - started).toBeLessThan(1000)
})

test('the id of a task is its question, and no other text is one', () => {
  const subject = { question: { skill: 'lookup_reference', input: { cpt: '99213' } }, contextId: 'c', at: 1_000 }
  expect(subjectOf(taskId(subject))).toEqual(subject)
  for (const id of ['', 'x', '%', 'e30', taskId(subject).slice(1), `${taskId(subject)}=`, 'A'.repeat(5000)])
    expect([id, subjectOf(id)]).toEqual([id, undefined])
  fc.assert(
    fc.property(fc.json(), (text) => void subjectOf(Buffer.from(text).toString('base64url'))),
    { numRuns: 200 },
  )
})
