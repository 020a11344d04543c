import { expect, test } from 'bun:test'
import { tornCsv } from './torn-csv.ts'

const HEAD = 'a,b\n1,2\nwords,code,type,amount,note\n'
const read = (body: string) =>
  [...tornCsv(HEAD + body)].slice(3).map(({ line, cells, isGuess }) => [line, cells?.join(';') ?? null, isGuess])

test('a sound record is read by RFC 4180, over several lines too', () => {
  const body = 'x,G0101,CPT,5,\n"a ""b"", c",G0102,CPT,6,"one\n\ntwo, ""three"""\ny,G0103,CPT,7,z\n'
  expect(read(body)).toEqual([
    [4, 'x;G0101;CPT;5;', false],
    [5, 'a "b", c;G0102;CPT;6;one\n\ntwo, "three"', false],
    [8, 'y;G0103;CPT;7;z', false],
  ])
})

test('inch marks in quotes are inch marks', () => {
  expect(read('"4"x4" pad, large",G0101,CPT,5,n\nx,G0102,CPT,6,n\n')).toEqual([
    [4, '4"x4" pad, large;G0101;CPT;5;n', true],
    [5, 'x;G0102;CPT;6;n', false],
  ])
})

test('a quote that is never closed takes no other record with it', () => {
  expect(read('"pad,G0101,CPT,5,n\nx,G0102,CPT,6,n\ny,G0103,CPT,7,"cut\nz,G0104,CPT,8,n\n')).toEqual([
    [4, 'pad;G0101;CPT;5;n', true],
    [5, 'x;G0102;CPT;6;n', false],
    [6, 'y;G0103;CPT;7;cut', true],
    [7, 'z;G0104;CPT;8;n', false],
  ])
})

test('the second half of a record that was cut in its first cell has the last columns', () => {
  expect(read('of a, pad",G0101,CPT,5,n\n')).toEqual([[4, 'of a, pad;G0101;CPT;5;n', true]])
})

test('what nobody can put into columns is told to be torn', () => {
  expect(read('x, y,G0101,CPT,5,n\n"z,G0102,CPT\nw,G0103,CPT,5,n\n')).toEqual([
    [4, null, false],
    [5, null, true],
    [6, 'w;G0103;CPT;5;n', false],
  ])
})
