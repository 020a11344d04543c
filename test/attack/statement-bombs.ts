// Statements that are made to break their reader, or to make it say what they do not say.

import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { A_CLAIM_835, A_CSV, an835, an837, anEob, anItem, LINES_837 } from '../../src/statement/fixture.ts'

export interface HostileStatement {
  name: string
  source: () => Blob | Uint8Array | string
  /** What must become of it: a refusal, or how many lines are read. */
  becomes: string
}

/** A word that no answer may repeat. */
export const HOSTILE_WORD = 'IGNORE-ALL-PREVIOUS'

const json = (value: unknown): string => JSON.stringify(value)
const many = (text: string, count: number): string => text.repeat(count)
const bytesOf = (...values: number[]): Uint8Array => new Uint8Array(values)
const item = (changes: Record<string, unknown>) => json(anEob({ item: [anItem(changes)] }))

/** An archive with one member in each of the places where a workbook has its parts. */
function archive(files: readonly (readonly [string, Buffer, number?])[], stated = 1): Uint8Array {
  const parts: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const [name, content, method = 8] of files) {
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt32LE(content.length, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    parts.push(head, Buffer.from(name), content)
    list.push(entry, Buffer.from(name))
    at += 30 + name.length + content.length
  }
  const directory = Buffer.concat(list)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length * stated, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, directory, end])
}
const packed = (text: string): Buffer => deflateRawSync(Buffer.from(text))
const BOOK = packed('<workbook xmlns:r="r"><sheets><sheet name="x" sheetId="1" r:id="a"/></sheets></workbook>')
const LINKS = packed('<Relationships><Relationship Id="a" Target="s.xml"/></Relationships>')
const bookOf = (sheet: Buffer): Uint8Array =>
  archive([
    ['xl/workbook.xml', BOOK],
    ['xl/_rels/workbook.xml.rels', LINKS],
    ['xl/s.xml', sheet],
  ])
const cells = (...texts: string[]): string =>
  `<row>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`
const HEAD = 'Code,Mod,Units,Billed,Day\n'
const MB = 1024 * 1024

/** A file of 200 MB without content of its own. */
function hugeFile(): Blob {
  const path = join(tmpdir(), `statement-${process.pid}`)
  writeFileSync(path, '')
  truncateSync(path, 200 * MB)
  process.on('exit', () => rmSync(path))
  return Bun.file(path)
}

export const HOSTILE_STATEMENTS: readonly HostileStatement[] = [
  // Sizes
  { name: 'nothing', source: () => '', becomes: 'empty' },
  { name: 'blanks', source: () => many(' \n', 1_000), becomes: 'empty' },
  { name: '200 MB of bytes', source: () => hugeFile(), becomes: 'too_large' },
  { name: '11 MB of text', source: () => many('a', 11 * MB), becomes: 'too_large' },
  { name: 'one line of 9 MB', source: () => many('99213 ', 1.5 * MB), becomes: 'long_text' },
  { name: 'a million short lines', source: () => many('x\n', MB), becomes: 'long_text' },
  { name: 'a table of a million rows', source: () => HEAD + many('99213,,1,1,\n', 700_000), becomes: 'read 5000' },
  { name: 'a cell of 1 MB', source: () => `${HEAD}99213,,1,"${many('1', MB)}",`, becomes: 'long_line' },
  { name: 'a quote without an end', source: () => `${HEAD}"${many('99213\n', 100_000)}`, becomes: 'long_line' },
  { name: 'a row of a million cells', source: () => HEAD + many(',', MB), becomes: 'no_lines' },
  { name: 'a heading of a million cells', source: () => `Code,Billed${many(',Code', MB)}`, becomes: 'two_columns' },
  // JSON
  { name: 'deep arrays', source: () => many('[', MB), becomes: 'json_deep' },
  { name: 'deep objects', source: () => many('{"item":', MB), becomes: 'json_deep' },
  {
    name: 'deep bundles',
    source: () => many('{"resourceType":"Bundle","entry":[{"resource":', 20) + json(anEob()) + many('}]}', 20),
    becomes: 'json_deep',
  },
  { name: 'half a document', source: () => json(anEob()).slice(0, -5), becomes: 'json' },
  {
    name: 'a member that stands twice',
    source: () => json(anEob()).replace('"status":"active"', '"status":"active","status":"cancelled"'),
    becomes: 'json_twice',
  },
  {
    name: 'an amount that stands twice',
    source: () => json(anEob()).replace('"value":300', '"value":300,"value":1'),
    becomes: 'json_twice',
  },
  {
    name: 'names of prototypes',
    source: () => json(anEob()).replace('{', '{"__proto__":{"item":[]},"constructor":{"prototype":{"code":"x"}},'),
    becomes: 'read 1',
  },
  {
    name: 'a category named like a method',
    source: () =>
      item({
        adjudication: [{ category: { coding: [{ code: 'toString' }, { code: '__proto__' }] }, amount: { value: 1 } }],
      }),
    becomes: 'read 1',
  },
  { name: 'a number without end', source: () => json(anEob()).replace('300', many('9', MB)), becomes: 'json' },
  { name: 'an exponent', source: () => json(anEob()).replace('"value":300', '"value":3e2'), becomes: 'read 1' },
  { name: 'NaN', source: () => json(anEob()).replace('"value":300', '"value":NaN'), becomes: 'json' },
  { name: 'a comment', source: () => `/* ${HOSTILE_WORD} */${json(anEob())}`, becomes: 'no_lines' },
  { name: 'a string without end', source: () => `{"item":"${many('a', MB)}`, becomes: 'json' },
  { name: 'bad escapes', source: () => json(anEob()).replace('"99213"', '"\\u00zz"'), becomes: 'json' },
  {
    name: 'a million items',
    source: () => `{"resourceType":"Claim","status":"active","item":[${many('{},', 1_000_000)}{}]}`,
    becomes: 'read 0',
  },
  {
    name: 'a hundred thousand claims',
    source: () => many('{"resourceType":"Claim","status":"active"}\n', 100_000),
    becomes: 'read 0',
  },
  { name: 'a cancelled statement', source: () => json(anEob({ status: 'cancelled' })), becomes: 'read 0' },
  { name: 'a preauthorization', source: () => json(anEob({ use: 'preauthorization' })), becomes: 'read 0' },
  {
    name: 'a code with words',
    source: () => item({ productOrService: { coding: [{ code: `99213 ${HOSTILE_WORD}` }] } }),
    becomes: 'read 0',
  },
  {
    name: 'an amount as words',
    source: () =>
      item({ adjudication: [{ category: { coding: [{ code: 'submitted' }] }, amount: { value: HOSTILE_WORD } }] }),
    becomes: 'read 1',
  },
  {
    name: 'a patient in place of a claim',
    source: () => json({ resourceType: 'Patient', name: HOSTILE_WORD }),
    becomes: 'not_fhir',
  },
  { name: 'a list in place of a document', source: () => '[1,2,3]', becomes: 'not_fhir' },
  // X12
  { name: 'an envelope alone', source: () => 'ISA*00*', becomes: 'not_x12' },
  { name: 'segments without end', source: () => an837(many('LX*1~', MB)), becomes: 'too_large' },
  { name: 'elements without end', source: () => an837(`SV2*0450*HC:99284*${many('*', MB)}~`), becomes: 'read 0' },
  {
    name: 'components without end',
    source: () => an837(`SV2*0450*HC:99284${many(':25', 300_000)}*1*UN*1~`),
    becomes: 'read 0',
  },
  {
    name: 'wrong counts',
    source: () => an837(LINES_837).replace('SE*20', 'SE*999999').replace('IEA*1', 'IEA*9'),
    becomes: 'read 2',
  },
  { name: 'a total that is wrong', source: () => an837(LINES_837, { total: '1' }), becomes: 'read 2' },
  {
    name: 'a hundred thousand reversals',
    source: () => an835(many('CLP*1*22*-1*-1*0*12~', 100_000)),
    becomes: 'read 0',
  },
  { name: 'a void', source: () => an837(LINES_837, { type: '13:A:8' }), becomes: 'read 0' },
  { name: 'an acknowledgement', source: () => an837(LINES_837).replace('ST*837', 'ST*999'), becomes: 'not_x12' },
  {
    name: 'a name like an envelope',
    source: () => an837(LINES_837).replace('CANARY*ZEBULON', 'ISAAC*ISA*GS*ST'),
    becomes: 'read 2',
  },
  { name: 'one letter as every separator', source: () => 'ISAAAAAAAAAAAAAAAAAAAAAAAAAAAA', becomes: 'no_lines' },
  {
    name: 'an adjustment in words',
    source: () => an835(A_CLAIM_835.replace('204.81', HOSTILE_WORD)),
    becomes: 'read 1',
  },
  // Encodings and other kinds of file
  { name: 'UTF-16', source: () => Buffer.from(`\ufeff${A_CSV}`, 'utf16le'), becomes: 'read 2' },
  {
    name: 'Windows-1252',
    source: () => Buffer.from(A_CSV.replace('Drawing', 'Pr\u00e9l\u00e8vement'), 'latin1'),
    becomes: 'read 2',
  },
  { name: 'half a letter of UTF-16', source: () => bytesOf(0xff, 0xfe, 0x00, 0xd8), becomes: 'encoding' },
  { name: 'zero bytes', source: () => bytesOf(0x41, 0, 0, 0, 0x42), becomes: 'binary' },
  { name: 'a PDF', source: () => Buffer.from('%PDF-1.7\n'), becomes: 'pdf' },
  { name: 'a picture', source: () => bytesOf(0x89, 0x50, 0x4e, 0x47), becomes: 'picture' },
  { name: 'a packed file', source: () => gzipSync('99213'), becomes: 'packed' },
  { name: 'an old workbook', source: () => bytesOf(0xd0, 0xcf, 0x11, 0xe0), becomes: 'old_workbook' },
  { name: 'a page', source: () => `<html><script>${HOSTILE_WORD}</script></html>`, becomes: 'markup' },
  {
    name: 'a document with entities',
    source: () => '<!DOCTYPE x [<!ENTITY a "aaaa">]><ExplanationOfBenefit/>',
    becomes: 'markup',
  },
  // Workbooks
  { name: 'an archive of something else', source: () => archive([['a.txt', packed('99213')]]), becomes: 'workbook' },
  {
    name: 'a workbook that unpacks to 40 MB',
    source: () => bookOf(deflateRawSync(Buffer.alloc(40 * MB, 0x20))),
    becomes: 'workbook_large',
  },
  {
    name: 'a workbook whose directory is cut',
    source: () => bookOf(packed('<x/>')).slice(0, -30),
    becomes: 'workbook',
  },
  {
    name: 'a workbook that states too many members',
    source: () => archive([['a', packed('x')]], 60_000),
    becomes: 'workbook',
  },
  {
    name: 'a workbook with broken packing',
    source: () => bookOf(Buffer.from('this is not packed')),
    becomes: 'workbook',
  },
  {
    name: 'a formula in a workbook',
    source: () =>
      bookOf(
        packed(
          `<s>${cells('Code', 'Billed')}${cells('99213', '5')}<row><c><f>HYPERLINK("${HOSTILE_WORD}")</f><v>99214</v></c><c><v>6</v></c></row></s>`,
        ),
      ),
    becomes: 'read 2',
  },
  {
    name: 'a text that does not exist',
    source: () =>
      bookOf(packed(`<s>${cells('Code', 'Billed')}<row><c t="s"><v>999999</v></c><c><v>6</v></c></row></s>`)),
    becomes: 'read 0',
  },
  {
    name: 'a row of 20,000 cells',
    source: () => bookOf(packed(`<s><row>${many('<c><v>1</v></c>', 20_000)}</row></s>`)),
    becomes: 'workbook',
  },
  // Texts
  { name: 'formulas', source: () => `${HEAD}=1+1,,1,1,\n@SUM(A1),,1,1,\n99213,,1,=1,`, becomes: 'read 0' },
  { name: 'headings alone', source: () => many('Code Description Units Charges\n', 10_000), becomes: 'no_lines' },
  { name: 'digits alone', source: () => many('99213 99214 99215 12345 ', 10_000), becomes: 'no_lines' },
  {
    name: 'rows of sixty words',
    source: () => `Code Description Units Mod Charges\n${many(`99213 ${many('25 3 ', 25)}$5.00\n`, 3_000)}`,
    becomes: 'no_lines',
  },
  {
    name: 'words of headings without end',
    source: () => many('Amount Date Code Units ', 100_000),
    becomes: 'long_text',
  },
  { name: 'letters in place of digits', source: () => 'Code,Billed\n992l3,5.00\n99213,1OO.OO', becomes: 'read 0' },
  { name: 'letters that run backwards', source: () => 'Code,Billed\n\u202e99213,5.00', becomes: 'read 0' },
]
