import { expect, test } from 'bun:test'
import { drugCode, outpatientGroup, revenueCode, severityCode, stayCode } from './code.ts'
import { keyMembers } from './row.ts'

test('a number of another kind becomes the one code that rows have', () => {
  const written: [(text: string) => string | undefined, string, string | undefined][] = [
    [stayCode, '470', 'DRG-470'],
    [stayCode, '003', 'DRG-003'],
    [stayCode, '47', undefined],
    [severityCode, '302-3', 'APR-302.3'],
    [severityCode, '0571', 'APR-057.1'],
    [severityCode, '302', 'APR-302'],
    [severityCode, '302-5', undefined],
    [revenueCode, '450', 'RC-0450'],
    [revenueCode, '1002', 'RC-1002'],
    [revenueCode, '0000', undefined],
    [revenueCode, '45', undefined],
    [outpatientGroup, '5012', 'APC-5012'],
    [outpatientGroup, '05501', 'APC-5501'],
    [drugCode, '0781-1943-39', 'NDC-00781194339'],
    [drugCode, '68516-5216-8', 'NDC-68516521608'],
    [drugCode, '57665010141', 'NDC-57665010141'],
    [drugCode, '5766501014', undefined],
  ]
  for (const [reader, text, code] of written) {
    expect([text, reader(text)]).toEqual([text, code])
    if (code) expect(keyMembers.code(code)).toBe(true)
  }
})

test('a code has one form, and none that runs over or is cut', () => {
  for (const code of [
    'DRG-4700',
    'DRG-47',
    'DRG470',
    'drg-470',
    'APR-302.',
    'APR-302.9',
    'RC-450',
    'APC-501',
    'NDC-123',
    '470',
    'RC-0450|',
    'CDM-1',
  ])
    expect([code, keyMembers.code(code)]).toEqual([code, false])
})
