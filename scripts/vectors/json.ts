// Texts that any reader of JSON must take or refuse, and the canonical text of those that it takes.

import { all, type Line, vectorsOf } from './table.ts'

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

const good: Line<string>[] = [
  ['white space between tokens, CRLF included', '\t{ "b" :\r\n[ 1 ,\n2 ] , "a" : null }\r\n', '{"a":null,"b":[1,2]}'],
  ['the three words', '[true,false,null]', '[true,false,null]'],
  ['no members and no items', '[{},[],""]', '[{},[],""]'],
  ['a text alone', '"x"', '"x"'],
  ['a number alone', ' 7 ', '7'],
  ['letters written as escapes', '{"k\\u0069nd":"\\u0070rice"}', '{"kind":"price"}'],
  ['escapes that canonical text has not', '"\\/\\u000A\\u007f\\u00e9"', '"/\\n\u007f\u00e9"'],
  ['escapes that it has', '"\\b\\f\\n\\r\\t\\"\\\\\\u0000\\u001F"', '"\\b\\f\\n\\r\\t\\"\\\\\\u0000\\u001f"'],
  ['a surrogate pair, raw and escaped', '"\u{1f600}\\ud83d\\ude00"', '"\u{1f600}\u{1f600}"'],
  ['a text that is not NFC, as it is', '"e\\u0301"', '"e\u0301"'],
  ['line separators, as they are', '"\\u2028\\u2029"', '"\u2028\u2029"'],
  [
    'names in the order of their UTF-16 code units',
    '{"\ufb01":1,"\u{1f600}":2,"a":3}',
    '{"a":3,"\u{1f600}":2,"\ufb01":1}',
  ],
  ['a name before the longer one that it begins', '{"ab":1,"a":2,"":3,"B":4}', '{"":3,"B":4,"a":2,"ab":1}'],
  ['names that are numbers', '{"10":1,"9":2,"-1":3}', '{"-1":3,"10":1,"9":2}'],
  ['a member called __proto__', '{"__proto__":{"x":1},"constructor":2}', '{"__proto__":{"x":1},"constructor":2}'],
  ['names that differ in case and form', '{"\u00e9":1,"e\u0301":2,"E":3}', '{"E":3,"e\u0301":2,"\u00e9":1}'],
  ['a colon and a quote in a text', '{"a":":\\":\\\\","b:":1}', '{"a":":\\":\\\\","b:":1}'],
  ['a member of one name in each of two objects', '[{"a":1},{"a":{"a":1}}]', '[{"a":1},{"a":{"a":1}}]'],
  ['a minus zero', '[-0,-0.0,-0e5]', '[0,0,0]'],
  ['integers with a point or an exponent', '[84.0,8.4e1,840E-1,1e0]', '[84,84,84,1]'],
  ['fractions', '[0.48,4.8e-1,0.1e1,1.50]', '[0.48,0.48,1,1.5]'],
  ['small numbers', '[0.000001,0.0000001,5e-324]', '[0.000001,1e-7,5e-324]'],
  ['a number too small to be told from zero', '[1e-400,-1e-400]', '[0,0]'],
  ['the largest and the least integer', '[9007199254740991,-9007199254740991]', '[9007199254740991,-9007199254740991]'],
  ['a fraction whose double is the largest integer', '[9007199254740991.4]', '[9007199254740991]'],
  ['a fraction that lies between two doubles', '[0.1000000000000000055511151231257827]', '[0.1]'],
  ['a fraction of 5,000 digits', `[0.${'5'.repeat(5_000)}]`, '[0.5555555555555556]'],
  ['32 levels', nested(32), nested(32)],
  [
    '32 levels of lists and objects',
    `${'[{"a":'.repeat(15)}[1]${'}]'.repeat(15)}`,
    `${'[{"a":'.repeat(15)}[1]${'}]'.repeat(15)}`,
  ],
]

/** By the words of canonical-json.md. To a verifier all of them are one. */
const refused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  syntax: {
    'no text': '',
    'white space alone': ' \n',
    'half a text': '{"a":[1,',
    'a list without its end': '[1',
    'a text without its end': '"a',
    'a byte order mark before the value': '\ufeff{}',
    'a no-break space before the value': '\u00a0{}',
    'a form feed between tokens': '[1,\f2]',
    'a comma after the last member': '{"a":1,}',
    'a comma after the last item': '[1,]',
    'a comma before the first item': '[,1]',
    'two commas': '[1,,2]',
    'no comma': '[1 2]',
    'no colon': '{"a" 1}',
    'a name without quotes': '{a:1}',
    'a name that is a number': '{1:1}',
    'a comment': '/* */{}',
    'single quotes': "{'a':1}",
    'a raw newline in a text': '"a\nb"',
    'a raw tab in a text': '"a\tb"',
    'a raw NUL in a text': '"a\0b"',
    'an escape that there is not': '"\\x41"',
    'an escape of three digits': '"\\u041"',
    'a leading zero in a number': '[084]',
    'a leading zero after a minus': '[-084]',
    'a plus sign before a number': '[+84]',
    'a minus alone': '[-]',
    'a point and nothing after it': '[84.]',
    'a point and nothing before it': '[.5]',
    'an exponent of nothing': '[1e]',
    'a number in hex': '[0x54]',
    'digits that are not ASCII': '[\u0661]',
    NaN: '[NaN]',
    Infinity: '[-Infinity]',
    'a word in capitals': '[True]',
    undefined: '[undefined]',
  },
  duplicate_member: {
    'a member twice': '{"a":1,"a":1}',
    'a member twice, with others between': '{"a":1,"b":2,"c":{"a":3},"a":4}',
    'a member twice, once by escapes': '{"k\\u0069nd":1,"kind":1}',
    'a member twice deep inside': '{"a":[{"b":{"c":1,"c":1}}]}',
    'a member without a name twice': '{"":1,"":2}',
    '__proto__ twice': '{"__proto__":1,"__proto__":1}',
    'a member twice, beside a colon in a text': '{"a":":","a":"\\":"}',
  },
  too_deep: {
    '33 levels': nested(33),
    '33 levels, the last of them a number': `${'['.repeat(32)}1${']'.repeat(32)}`,
    '33 levels of objects': `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
    '1,000 levels': nested(1_000),
  },
  bad_string: {
    'a lone high surrogate': '["\\ud800"]',
    'a lone low surrogate': '["\\udc00 x"]',
    'surrogates in the wrong order': '["\\udc00\\ud800"]',
    'a high surrogate before another character': '["\\ud800\\u0041"]',
    'a lone surrogate in the name of a member': '{"\\ud800":1}',
  },
  bad_number: {
    'a number that overflows': '[1e999]',
    'a number that overflows below': '[-1e999]',
    'an integer past the exact ones': '[9007199254740992]',
    'an integer below the exact ones': '[-9007199254740992]',
    'a fraction whose double is an integer past the exact ones': '[9007199254740993.5]',
    'an integer past the exact ones, by its exponent': '[1e16]',
    'an integer of 5,000 digits': `[1${'0'.repeat(5_000)}]`,
  },
  trailing_data: {
    'text after the value': '{} x',
    'a second value after the first': '{}{}',
    'a comma after the value': '1,',
    'a NUL after the value': '{}\0',
    'an end too many': '[]]',
  },
}

const lines = good.map(([name, text, canonical]): Line<string> => [name, text, { canonical }])

export const texts = [
  ...vectorsOf('json', lines, (text) => ({ text })),
  ...Object.entries(refused).flatMap(([word, inputs]) =>
    vectorsOf('json', all('json_malformed', inputs), (text) => ({ text, word })),
  ),
]
