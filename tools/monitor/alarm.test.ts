import { describe, expect, test } from 'bun:test'
import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { Alarms } from './alarm.ts'

test('many alarms of one code take no room from those of another, and it is said how many are not shown', () => {
  const alarms = new Alarms()
  for (let i = 0; i < 100; i++) alarms.raise('time_backwards', `entry ${i}`)
  alarms.raise('time_backwards', 'entry 99')
  alarms.raise('log_forked', 'at size 7')
  alarms.note('a file was not given')
  expect(alarms.raised.filter(({ code }) => code === 'time_backwards')).toHaveLength(20)
  expect(alarms.raised.at(-1)).toMatchObject({ code: 'log_forked' })
  expect(alarms.notes).toEqual(['time_backwards: 80 more were found and are not shown', 'a file was not given'])
})

describe('a secret that a service sends back is not shown', () => {
  const secret = 'atr_the_token_it_was_given'
  const codes = [...secret].map((letter) => letter.charCodeAt(0))
  const hex = codes.map((code) => code.toString(16))
  const escaped = hex.map((code) => `\\u00${code}`).join('')
  const base64 = (text: string): string => toBase64(utf8(text))
  const forms: [string, string][] = [
    ['as it is', `{"you":"${secret}"}`],
    ['in escapes of JSON', `{"you":"${escaped}"}`],
    ['in one escape of JSON', `{"you":"${secret.replace('a', '\\u0061')}"}`],
    ['in escapes of JSON within JSON', JSON.stringify({ you: `{"a":"${escaped}"}` })],
    ['in base64', base64(secret)],
    ['in base64 within a text', `{"a":"b","you":"${base64(`x${secret}`)}"}`],
    ['in base64 from any place of a word', `ab${base64(`xy${secret}`)}`],
    ['in base64 over several lines', base64(`xyz${secret}`).replace(/.{10}/g, '$&\r\n ')],
    ['in base64 for addresses', base64(`??>${secret}`).replaceAll('/', '_').replaceAll('=', '')],
    ['in escapes within base64', base64(`{"you":"${escaped}"}`)],
    ['in base64 twice', base64(base64(`a${secret}`))],
    ['in hex', `abc${hex.join('')}`],
    ['in escapes of an address', `/rows?${hex.map((code) => `%${code}`).join('')}`],
    ['in references of markup', codes.map((code) => `&#${code};`).join('')],
  ]
  test.each(forms)('%s', (_, text) => {
    const alarms = new Alarms(new Set([secret]))
    alarms.raise('answer_unverified', text, { answer: text, far: 'x'.repeat(256 * 1024 - 5) + secret })
    const [alarm] = alarms.raised
    const left = '(left out: it holds a secret of this monitor)'
    expect(alarm).toMatchObject({
      sentence: `an answer does not verify: ${left}`,
      evidence: { answer: left, far: left },
    })
  })

  test('and what only looks like it is shown', () => {
    const alarms = new Alarms(new Set([secret]))
    const answer = '{"a":"%zz \\u00 &#99999999; \\","b":"YXRyXw=="}'
    alarms.raise('answer_unverified', 'no reason', { answer })
    expect(alarms.raised[0]?.evidence).toEqual({ answer })
  })
})
