import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { spawn } from 'bun'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { tables } from '../../src/db/migrator.ts'
import { openBytes } from '../../src/files/byte-stream.ts'
import { joined, workbook, type ZipMember, zip } from '../../src/files/zip-fixture.ts'
import { load } from '../../src/ingest/load.ts'
import { openInstallation } from '../../src/installation.ts'
import { Problem } from '../../src/problem.ts'
import { utf8 } from '../../src/proof/bytes.ts'
import { isNpi } from '../../src/proof/lookup/npi.ts'
import { storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/harness.ts'
import { ATR, atr } from '../support/service.ts'
import * as files from '../support/source-files.ts'
import type { Bomb, Refused } from './bombs-child.ts'

const MIB = 1024 ** 2
const words: files.Words = () => 'words'
const LABORATORY = files.asCsv(files.laboratory(words, 3))
const TALL = files.tall(words, 3)
const member: ZipMember = { name: 'CLFS_2026_Q4.csv', data: LABORATORY }

/** Text that packs to less than a hundredth of itself, and text that does not. */
const flat = (size: number): Uint8Array => new Uint8Array(size).fill(0x61)
const rough = (size: number): string => Array.from({ length: size / 8 }, (_, i) => (i * 2_654_435_761) % 1e8).join('')
const sheets = Array.from({ length: 50_000 }, (_, i) => `<sheet name="${i}" r:id="rId7"/>`).join('')

/** The same, with one part that claims to be another size. */
const bookWith = (part: ZipMember): Uint8Array =>
  zip([
    { name: 'xl/workbook.xml', data: '<workbook><sheets><sheet name="a" id="rId1"/></sheets></workbook>' },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: '<R><Relationship Id="rId1" Type="x/worksheet" Target="sheet1.xml"/><Relationship Id="rId2" Type="x/sharedStrings" Target="sharedStrings.xml"/></R>',
    },
    { name: 'xl/sheet1.xml', data: '<worksheet/>' },
    part,
  ])

/** A hospital's JSON: small when it is packed, and everything in an item counts for everything else in it. */
const hospitalJson = (items: string, npis = '"1234567893"'): string =>
  `{"last_updated_on":"2026-04-01","version":"3.0.0","type_2_npi":[${npis}],"standard_charge_information":[${items}]}`
const anItem = (codes: readonly string[], charges: readonly string[]): string =>
  `{"code_information":[${codes.map((code) => `{"code":"${code}","type":"CPT"}`)}],"standard_charges":[${charges}]}`
const codesFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => String((first + i) % 100_000).padStart(5, '0'))
/** Each with a list of modifiers of its own. */
const chargesFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => {
    const digits = (first + i).toString(36).toUpperCase().padStart(4, '0')
    return `{"setting":"outpatient","modifier_code":["${digits.slice(0, 2)}","${digits.slice(2)}"],"gross_charge":1}`
  })
const npisFrom = (count: number): string[] => {
  const found: string[] = []
  for (let n = 1_000_000_000; found.length < count; n++) if (isNpi(String(n))) found.push(String(n))
  return found
}
const codeColumns = (count: number): string => {
  const all = (text: (n: number) => string): string => Array.from({ length: count }, (_, i) => text(i + 1)).join(',')
  return [
    'hospital_name,last_updated_on,version,type_2_npi',
    'x,2026-04-01,3.0.0,1234567893',
    `description,${all((n) => `code|${n},code|${n}|type`)},setting,standard_charge|gross`,
    `x,${all((n) => `${10_000 + n},CPT`)},outpatient,5`,
  ].join('\n')
}

const BOMBS: Record<string, [kind: string, ending: string, content: () => string | Uint8Array]> = {
  'a zip bomb': ['cms-clfs', '.zip', () => zip([member, { name: 'b.csv', data: flat(50 * MIB) }])],
  'a zip bomb for a reader of streams': ['hospital-mrf', '.zip', () => zip([{ name: 'b.csv', data: flat(50 * MIB) }])],
  'an archive in an archive': [
    'hospital-mrf',
    '.zip',
    () => zip([{ name: 'a.zip', data: zip([member]), stored: true }]),
  ],
  'members that overlap': [
    'cms-clfs',
    '.zip',
    () =>
      zip([
        { ...member, stored: true, claims: { packed: LABORATORY.length + 9, size: LABORATORY.length + 9 } },
        { ...member, name: 'b.csv' },
      ]),
  ],
  'a name that points outside': ['hospital-mrf', '.zip', () => zip([{ ...member, name: '../../a.csv' }])],
  'an absolute name': ['hospital-mrf', '.zip', () => zip([{ ...member, name: '/etc/a.csv' }])],
  'a link': ['cms-clfs', '.zip', () => zip([{ ...member, claims: { unixMode: 0o120777 } }])],
  'an encrypted member': ['hospital-mrf', '.zip', () => zip([{ ...member, claims: { flags: 0x801 } }])],
  'zip64 sizes that lie': ['cms-clfs', '.zip', () => zip([{ ...member, claims: { size: 2 ** 45 } }], { wide: true })],
  'a wrong checksum': ['hospital-mrf', '.zip', () => zip([{ name: 'a.csv', data: TALL, claims: { crc: 1 } }])],
  'a descriptor that lies': ['cms-clfs', '.zip', () => zip([{ ...member, descriptor: { size: 1 } }])],
  '1,001 members': [
    'cms-clfs',
    '.zip',
    () => zip(Array.from({ length: 1_001 }, (_, i) => ({ name: `${i}.csv`, data: 'a', stored: true }))),
  ],
  'a gzip bomb': ['cms-clfs', '.csv.gz', () => gzipSync(flat(64 * MIB))],
  'a gzip bomb for a reader of streams': ['hospital-mrf', '.csv.gz', () => gzipSync(flat(64 * MIB))],
  'garbage after gzip': ['cms-clfs', '.csv.gz', () => joined([gzipSync(LABORATORY), utf8('more')])],
  'garbage after gzip in a stream': ['hospital-mrf', '.csv.gz', () => joined([gzipSync(TALL), utf8('more')])],
  'half a second gzip member': [
    'hospital-mrf',
    '.csv.gz',
    () => joined([gzipSync(TALL), gzipSync(TALL).subarray(0, 40)]),
  ],
  'JSON 100,000 levels deep': [
    'hospital-mrf',
    '.json',
    () => `{"standard_charge_information":[{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`,
  ],
  'JSON with a name of a megabyte': ['hospital-mrf', '.json', () => `{"${rough(2 * MIB)}":1}`],
  '20,000 columns': ['hospital-mrf', '.csv', () => `${TALL}${','.repeat(20_000)}\n`],
  '20,000 columns in a schedule': ['cms-clfs', '.csv', () => joined([LABORATORY, utf8(','.repeat(20_000))])],
  'NUL bytes': ['hospital-mrf', '.csv', () => `${TALL}a\0b\n`],
  'NUL bytes in a schedule': ['cms-opps', '.csv', () => `HCPCS Code,SI,Payment Rate\nG0001,J2,1\0\n`],
  'UTF-16 without an end': ['cms-clfs', '.csv', () => Uint8Array.of(0xff, 0xfe, 0x00, 0xd8, 0x41)],
  'shared texts beyond the limit': [
    'cms-opps',
    '.xlsx',
    () => bookWith({ name: 'xl/sharedStrings.xml', data: rough(2 * MIB), claims: { size: 70 * MIB } }),
  ],
  'shared texts that are a bomb': [
    'cms-opps',
    '.xlsx',
    () => bookWith({ name: 'xl/sharedStrings.xml', data: flat(9 * MIB) }),
  ],
  'an entity of entities': [
    'cms-opps',
    '.xlsx',
    () =>
      workbook('<row><c t="str"><v>&b;</v></c></row>', {
        prolog: '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>',
      }),
  ],
  'an entity from elsewhere': [
    'cms-opps',
    '.xlsx',
    () =>
      workbook('<row><c t="str"><v>&x;</v></c></row>', {
        prolog: '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      }),
  ],
  'a row far below': ['cms-opps', '.xlsx', () => workbook('<row r="99999999999"><c><v>1</v></c></row>')],
  'a column far away': ['cms-opps', '.xlsx', () => workbook('<row><c r="ZZZ1"><v>1</v></c></row>')],
  '50,000 sheets': ['cms-opps', '.xlsx', () => workbook('<row/>', { sheets })],
  '2,000 codes and 20,000 charges in an item': [
    'hospital-mrf',
    '.json.gz',
    () => gzipSync(hospitalJson(anItem(codesFrom(10_000, 2_000), chargesFrom(0, 20_000)))),
  ],
  '300,000 codes in an item': [
    'hospital-mrf',
    '.json.gz',
    () => gzipSync(hospitalJson(anItem(codesFrom(0, 300_000), chargesFrom(0, 1)))),
  ],
  '20,000 charges in an item': [
    'hospital-mrf',
    '.json',
    () => hospitalJson(anItem(codesFrom(0, 1), chargesFrom(0, 20_000))),
  ],
  '51 codes in an item': ['hospital-mrf', '.json', () => hospitalJson(anItem(codesFrom(0, 51), chargesFrom(0, 1)))],
  'as many codes and charges as an item may have, in every item': [
    'hospital-mrf',
    '.json.gz',
    () =>
      gzipSync(
        hospitalJson(
          Array.from({ length: 20 }, (_, i) => anItem(codesFrom(i * 50, 50), chargesFrom(0, 10_000))).join(','),
        ),
      ),
  ],
  'as many NPIs as a file may have, for many combinations': [
    'hospital-mrf',
    '.json',
    () =>
      hospitalJson(
        anItem(codesFrom(0, 50), chargesFrom(0, 1_000)),
        npisFrom(100)
          .map((npi) => `"${npi}"`)
          .join(','),
      ),
  ],
  '900 code columns': ['hospital-mrf', '.csv', () => codeColumns(900)],
  'an empty file': ['cms-clfs', '.csv', () => ''],
  'an empty hospital file': ['hospital-mrf', '.csv', () => ''],
  'an empty archive': ['hospital-mrf', '.zip', () => zip([])],
  'a hospital file without prices': ['hospital-mrf', '.csv', () => TALL.split('\r\n').slice(0, 3).join('\n')],
}

const MAX_RSS = 512 * MIB
/** Of processor time: the clock goes on while others have the processor. */
const MAX_CPU_MS = 20_000

/** How many rows there are in each table: what was refused has changed none. */
async function rowCounts(db: Db): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name } of tables())
    counts[name] = (await db.query<{ n: number }>(`SELECT count(*) AS n FROM ${name}`))[0]?.n ?? -1
  return counts
}

async function store() {
  const folder = temporaryFolder()
  const env = await storeEnvironment(join(folder.path, 'data'))
  expect((await atr(['init'], env)).code).toBe(0)
  const installation = await openInstallation(readConfig(env))
  const { db, registryLog } = installation
  const state = async () => ({ rows: await rowCounts(db), log: (await registryLog.head(db)).size })
  const close = async (): Promise<void> => {
    await db.close()
    folder[Symbol.dispose]()
  }
  return { path: folder.path, env, db, state, [Symbol.asyncDispose]: close }
}

interface Ended {
  code: number
  out: string
  err: string
}

/** Runs a program to its end, with little memory, and no room for large files. */
async function limited(program: readonly string[], env: Record<string, string>, input = ''): Promise<Ended> {
  const [bun = '', ...rest] = program
  const peak = join(env['DATA_DIR'] ?? '', '..', 'peak')
  const preload = ['--preload', join(import.meta.dir, '../support/peak-memory.ts')]
  // A process that writes more than 100 MB to any file, named or not, is killed.
  const small = ['sh', '-c', 'ulimit -f 195312; exec "$0" "$@"']
  const child = spawn([...small, bun, ...preload, ...rest], {
    env: { ...process.env, ...env, PEAK_MEMORY: peak },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  expect(Number(readFileSync(peak, 'utf8'))).toBeWithin(1, MAX_RSS)
  return { code, out, err }
}

/** What the command line says of a file that must be refused. */
async function refused(args: string[], env: Record<string, string>): Promise<string> {
  const { code, out, err } = await limited([...ATR, ...args], env)
  expect([args, code, out, err]).toEqual([args, 1, '', expect.stringMatching(/^refused: [a-z_]+: [^\n]{10,300}\n$/)])
  return err
}

test('a file made to break its reader is refused in one sentence, in time and in little memory, and changes nothing', async () => {
  await using given = await store()
  const before = await given.state()
  const scratch = join(given.path, 'scratch')
  mkdirSync(scratch)
  const bombs = Object.entries(BOMBS).map(([name, [kind, ending, content]], i): Bomb => {
    const path = join(given.path, `${i}${ending}`)
    writeFileSync(path, content())
    return { name, kind, path }
  })
  const [bun = ''] = ATR
  const program = [bun, join(import.meta.dir, 'bombs-child.ts')]
  const { code, out, err } = await limited(program, { ...given.env, TMPDIR: scratch }, JSON.stringify(bombs))
  expect([code, err]).toEqual([0, ''])
  const told = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Refused)
  expect(told.map(({ name }) => name)).toEqual(bombs.map(({ name }) => name))
  for (const { name, code, detail, cpu_ms } of told) {
    expect([name, code, detail]).toEqual([name, 'source_unreadable', expect.stringMatching(/^[^\n]{10,300}$/)])
    expect(cpu_ms).toBeLessThan(MAX_CPU_MS)
  }
  expect(await given.state()).toEqual(before)
  expect(readdirSync(scratch)).toEqual([])
})

test('what is no file, or cannot be read, is refused for every kind', async () => {
  await using given = await store()
  const before = await given.state()
  const fifo = join(given.path, 'pipe.csv')
  expect(spawnSync('mkfifo', [fifo]).status).toBe(0)
  const locked = join(given.path, 'locked.csv')
  writeFileSync(locked, TALL, { mode: 0 })
  const link = join(given.path, 'loop.csv')
  spawnSync('ln', ['-s', link, link])
  const paths = [given.path, '/dev/zero', '/dev/null', fifo, link, join(given.path, 'none.csv')]
  // Root may read everything.
  if (process.getuid?.() !== 0) paths.push(locked)
  const refusals: Record<string, string[]> = {}
  for (const kind of ['cms-pfs', 'cms-clfs', 'cms-opps', 'hospital-mrf'])
    for (const path of paths)
      try {
        await load(given.db, kind, [path], { edition: 'X', effective_from: '2026-10-01' }, Date.now())
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        expect(error.code).toBe('source_unreadable')
        refusals[kind] = [...(refusals[kind] ?? []), error.detail]
      }
  const odd = 'this is a folder, a pipe or a device: name a file'
  const expected = [
    odd,
    odd,
    odd,
    odd,
    'there is no such file',
    'there is no such file',
    'the file cannot be read: check its permissions',
  ]
  for (const said of Object.values(refusals)) expect(said).toEqual(expected.slice(0, paths.length))
  expect(Object.keys(refusals).length).toBe(4)
  for (const args of [
    ['load', 'zip-locality', '/dev/zero'],
    ['load', 'providers', fifo],
    ['load', 'hospital-mrf', '/dev/zero'],
    ['outcomes', 'import', '/dev/zero'],
    ['outcomes', 'import', given.path],
  ])
    expect(await refused(args, given.env)).toContain(odd)
  expect(await given.state()).toEqual(before)
})

test('a line of a gigabyte is given up after its first megabytes', async () => {
  await using given = await store()
  for (const [name, start] of [
    ['line.csv', TALL],
    ['line.json', `{"standard_charge_information":[{"description":"`],
  ] as const) {
    const path = join(given.path, name)
    const file = openSync(path, 'w')
    writeSync(file, start)
    for (let i = 0; i < 16; i++) writeSync(file, flat(MIB))
    truncateSync(path, 1024 ** 3) // the rest takes no room on the disk
    expect(await refused(['load', 'hospital-mrf', path], given.env)).toMatch(/longer than [12] MiB/)
    expect(await refused(['load', 'cms-clfs', path], given.env)).toMatch(/larger than 256 MiB/)
  }
})

test('a file that grows, shrinks or is written to while it is read is refused', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a.csv')
  const changes: Record<string, () => void> = {
    grows: () => appendFileSync(path, 'more\n'),
    shrinks: () => truncateSync(path, 3 * MIB),
    'becomes empty': () => truncateSync(path, 0),
    'is written to': () => writeFileSync(path, flat(8 * MIB).fill(0x62)),
  }
  for (const [name, change] of Object.entries({ stays: () => {}, ...changes })) {
    writeFileSync(path, flat(8 * MIB))
    await Bun.sleep(5)
    let read = 0
    let said = 'read'
    try {
      for await (const chunk of (await openBytes(path)).chunks) {
        if (read === 0) change()
        read += chunk.length
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      said = error.detail
    }
    expect([name, said]).toEqual([
      name,
      name === 'stays' ? 'read' : 'the file was changed while it was read: load it again when it is complete',
    ])
  }
})
