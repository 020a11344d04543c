// Bodies whose JSON text is the matter: what two readers could understand differently is refused.

import { bad, good } from './body.ts'
import { replaced } from './edit.ts'
import { row } from './proofs.ts'
import type { VectorOf } from './vector.ts'

const text = JSON.stringify(row)
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

export const texts: VectorOf<'body'>[] = [
  good('white space between tokens, CRLF included', JSON.stringify(row, null, 2).replaceAll('\n', '\r\n'), { rows: 1 }),
  good('letters written as escapes', replaced(text, '"kind":"price"', '"k\\u0069nd":"\\u0070rice"'), { rows: 1 }),
  good('a minus zero, which is zero', replaced(text, '"citation":0', '"citation":-0'), { rows: 1 }),
  good('84.0, which is 84', replaced(text, '"line":84', '"line":84.0'), { rows: 1 }),
  good('8.4e1, which is 84', replaced(text, '"line":84', '"line":8.4e1'), { rows: 1 }),

  bad('no text', '', 'json_malformed'),
  bad('half a text', text.slice(0, -1), 'json_malformed'),
  bad('a member twice', replaced(text, '{"kind":"price"', '{"kind":"price","kind":"price"'), 'json_malformed'),
  bad(
    'a price twice, once true',
    replaced(text, '"price":{', '"price":{"amount":"0.01","currency":"USD"},"price":{'),
    'json_malformed',
  ),
  bad(
    'a member twice, once by escapes',
    replaced(text, '{"kind":"price"', '{"k\\u0069nd":"price","kind":"price"'),
    'json_malformed',
  ),
  bad('a member twice deep inside', replaced(text, '"index":3', '"index":3,"index":3'), 'json_malformed'),
  bad('text after the value', `${text} x`, 'json_malformed'),
  bad('a second value after the first', `${text}${text}`, 'json_malformed'),
  bad('a NUL after the value', `${text}\u0000`, 'json_malformed'),
  bad('a byte order mark before the value', `\ufeff${text}`, 'json_malformed'),
  bad('a no-break space before the value', `\u00a0${text}`, 'json_malformed'),
  bad('a comma after the last member', `${text.slice(0, -1)},}`, 'json_malformed'),
  bad('a comment', `/* */${text}`, 'json_malformed'),
  bad('single quotes', replaced(text, '"kind"', "'kind'"), 'json_malformed'),
  bad('a raw newline in a string', replaced(text, '"A publisher"', '"A\npublisher"'), 'json_malformed'),
  bad('a lone high surrogate', replaced(text, '"A publisher"', '"\\ud800"'), 'json_malformed'),
  bad('a lone low surrogate', replaced(text, '"A publisher"', '"\\udc00 x"'), 'json_malformed'),
  bad('surrogates in the wrong order', replaced(text, '"A publisher"', '"\\udc00\\ud800"'), 'json_malformed'),
  bad('a lone surrogate in a member name', replaced(text, '"publisher"', '"\\ud800"'), 'json_malformed'),
  bad('a leading zero in a number', replaced(text, '"line":84', '"line":084'), 'json_malformed'),
  bad('a plus sign before a number', replaced(text, '"line":84', '"line":+84'), 'json_malformed'),
  bad('NaN', replaced(text, '"line":84', '"line":NaN'), 'json_malformed'),
  bad('a number that overflows', replaced(text, '"line":84', '"line":1e999'), 'json_malformed'),
  bad('a number in hex', replaced(text, '"line":84', '"line":0x54'), 'json_malformed'),
  bad('a member called __proto__', replaced(text, '{"kind"', '{"__proto__":{"x":1},"kind"'), 'row_malformed'),
  bad('a fraction that is no integer', replaced(text, '"line":84', '"line":84.00000001'), 'row_malformed'),
  bad('a text that is not NFC', replaced(text, '"A publisher"', '"Publie\\u0301"'), 'proof_malformed'),
  bad('32 levels of lists, which are read', nested(32), 'not_recognised'),
  bad('33 levels of lists', nested(33), 'json_malformed'),
  bad('1,000 levels of lists', nested(1_000), 'json_malformed'),
  bad('null', 'null', 'not_recognised'),
  bad('a number', '1', 'not_recognised'),
  bad('a string', '"row"', 'not_recognised'),
  bad('a list of rows', `[${text}]`, 'not_recognised'),
  bad('an empty object', '{}', 'row_malformed'),
]
