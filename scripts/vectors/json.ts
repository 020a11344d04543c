// Texts that any reader of JSON must take or refuse, and the canonical text of those that it takes.

import { all, type Line, vectorsOf } from './table.ts'

const nested = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels)
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}[]${'}'.repeat(levels)}`

const good: Line<string>[] = [
  ['white space between tokens, CRLF included', '\t{ "b" :\r\n[ 1 ,\n2 ] , "a" : null }\r\n', '{"a":null,"b":[1,2]}'],
  ['words, no members and no items', '[true,false,null,{},[],""]', '[true,false,null,{},[],""]'],
  ['a text alone', ' "x"', '"x"'],
  ['letters written as escapes', '{"k\\u0069nd":"\\u0070rice"}', '{"kind":"price"}'],
  ['escapes that canonical text has not', '"\\/\\u000A\\u007f\\u00e9"', '"/\\n\u007f\u00e9"'],
  ['escapes that it has', '"\\b\\f\\n\\r\\t\\"\\\\\\u0000\\u001F"', '"\\b\\f\\n\\r\\t\\"\\\\\\u0000\\u001f"'],
  ['a surrogate pair, raw and escaped', '"\u{1f600}\\ud83d\\ude00"', '"\u{1f600}\u{1f600}"'],
  ['a text that is not NFC, and line separators', '"e\\u0301\\u2028\\u2029"', '"e\u0301\u2028\u2029"'],
  ['names by UTF-16 code units', '{"\ufb01":1,"\u{1f600}":2,"a":3}', '{"a":3,"\u{1f600}":2,"\ufb01":1}'],
  ['a name before the longer one that it begins', '{"ab":1,"a":2,"":3,"B":4}', '{"":3,"B":4,"a":2,"ab":1}'],
  ['names that are numbers', '{"10":1,"9":2,"-1":3}', '{"-1":3,"10":1,"9":2}'],
  ['names that every object has', '{"constructor":2,"__proto__":{"x":1}}', '{"__proto__":{"x":1},"constructor":2}'],
  ['names that differ in case and form', '{"\u00e9":1,"e\u0301":2,"E":3}', '{"E":3,"e\u0301":2,"\u00e9":1}'],
  ['a colon and a quote in a text', '{"a":":\\":\\\\","b:":1}', '{"a":":\\":\\\\","b:":1}'],
  ['one name in several objects', '[{"a":1},{"a":{"a":1}}]', '[{"a":1},{"a":{"a":1}}]'],
  ['integers in other forms', '[-0,-0.0,-0e5,84.0,8.4e1,840E-1,1e0]', '[0,0,0,84,84,84,1]'],
  ['fractions', '[0.48,4.8e-1,1.50,0.000001,0.0000001,5e-324]', '[0.48,0.48,1.5,0.000001,1e-7,5e-324]'],
  ['a number too small to be told from zero', '[1e-400,-1e-400]', '[0,0]'],
  ['the last exact integers', '[9007199254740991,-9007199254740991]', '[9007199254740991,-9007199254740991]'],
  ['a fraction whose double is the last exact integer', '[9007199254740991.4]', '[9007199254740991]'],
  ['a fraction of more digits than a double has', '[0.1000000000000000055511151231257827]', '[0.1]'],
  ['a fraction of 400 digits', `[0.${'5'.repeat(400)}]`, '[0.5555555555555556]'],
  ['32 levels', nested(32), nested(32)],
  ['32 levels, the last of them a number', nested(31, '1'), nested(31, '1')],
]

/** Texts by the words of canonical-json.md; to a verifier all of them are one. Two spaces part the texts of a list. */
const refused: Readonly<Record<string, string>> = {
  syntax: String.raw`{"a":[1,  [1  "a  {"a":1,}  [1,]  [,1]  [1,,2]  [1 2]  {"a" 1}  {a:1}  {1:1}  /**/{}  {'a':1}  "\x41"  "\u041"
 [084]  [-084]  [+84]  [-]  [84.]  [.5]  [1e]  [0x54]  [NaN]  [-Infinity]  [True]  undefined  [1}`,
  duplicate_member: String.raw`{"a":1,"a":1}  {"a":1,"b":2,"c":{"a":3},"a":4}  {"k\u0069nd":1,"kind":1}  [{"b":{"c":1,"c":1}}]
 {"":1,"":2}  {"__proto__":1,"__proto__":1}  {"a":":","a":"\":"}`,
  too_deep: `${nested(33)}  ${nested(32, '1')}  ${objects(32)}  ${nested(300)}`,
  bad_string: String.raw`["\ud800"]  ["\udc00"]  ["\udc00\ud800"]  ["\ud800\u0041"]  {"\ud800":1}`,
  bad_number: `[1e999]  [-1e999]  [9007199254740992]  [-9007199254740992]  [9007199254740993.5]  [1e16]  [1${'0'.repeat(4_400)}]`,
  trailing_data: '{} x  {}{}  1,  []]  {}\0',
}
const shortened = (text: string): string => (text.length < 70 ? text : `${text.slice(0, 30)}… (${text.length})`)
/** Texts in which spaces and control characters are the matter. */
const spaces: Readonly<Record<string, string>> = {
  'no text': '',
  'white space alone': ' \n',
  'a byte order mark before the value': '\ufeff{}',
  'a no-break space before the value': '\u00a0{}',
  'a form feed between tokens': '[1,\f2]',
  'a raw newline in a text': '"a\nb"',
  'a raw tab in a text': '"a\tb"',
  'a raw NUL in a text': '"a\0b"',
  'a digit that is not ASCII': '[\u0661]',
}

const of = (word: string, texts: Readonly<Record<string, string>>) =>
  vectorsOf('json', all('json_malformed', texts), (text) => ({ text, word }))
const lines = good.map(([name, text, canonical]): Line<string> => [name, text, { canonical }])
export const texts = [
  ...vectorsOf('json', lines, (text) => ({ text })),
  ...of('syntax', spaces),
  ...Object.entries(refused).flatMap(([word, list]) =>
    of(word, Object.fromEntries(list.split(/ {2}|\n /).map((text) => [`${word}: ${shortened(text)}`, text]))),
  ),
]
