import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { joined, zip } from '../../src/files/zip-fixture.ts'
import { LOAD_KINDS } from '../../src/ingest/readers.ts'
import { utf8 } from '../../src/proof/bytes.ts'
import * as files from '../support/source-files.ts'
import { HOSTILE, type Planted } from './hostile-text.ts'

/** A load as an operator would type it: the kind, the files, and what the files do not say themselves. */
export interface Load {
  args: string[]
  /** How many rows come of the lines that are sound. */
  rows?: number
}

/** Every text of the corpus stands in every format, and in turn in every column that can hold one. */
/** The headings of the limits, by chart. */
const CLAIMS = {
  'ncci-mue-practitioner': 'Practitioner Services',
  'ncci-mue-outpatient': 'Outpatient Hospital Services',
  'ncci-mue-dme': 'DME Supplier Services',
}
const ROWS = HOSTILE.length
const PAYERS = 1_000

const bytesOf = (content: string | Uint8Array): Uint8Array => (typeof content === 'string' ? utf8(content) : content)

/** Puts hostile files into a folder, under hostile names. */
export class HostileFiles {
  #written = 0

  constructor(
    readonly folder: string,
    readonly planted: Planted,
  ) {}

  write(place: string, ending: string, content: string | Uint8Array): string {
    // A file system takes any name of 255 bytes without a slash.
    const name = this.planted.words(`name of ${place}`, 60).replaceAll('/', '_')
    const path = join(this.folder, `${this.#written++} ${name}${ending}`)
    writeFileSync(path, bytesOf(content))
    return path
  }

  gzipped(place: string, ending: string, content: string | Uint8Array): string {
    const packed = new Uint8Array(gzipSync(bytesOf(content)))
    return this.write(place, `${ending}.gz`, files.withGzipNames(packed, this.planted.words))
  }

  /** With a comment at its end, and something beside what is looked for. */
  zipped(place: string, members: Record<string, string>): string {
    const { words } = this.planted
    const named = Object.entries(members).map(([ending, data], i) => {
      const folder = words('zip folder', 60).replaceAll(/[/\\:.]/g, '_')
      return { name: `${folder}/${i} ${words('zip member', 60).replaceAll(/[/\\:]/g, '_')}${ending.trim()}`, data }
    })
    const junk = { name: 'x.pdf', data: words('PDF in a zip') }
    const archive = zip([...named, junk])
    const comment = utf8(words('zip comment', 200))
    new DataView(archive.buffer).setUint16(archive.length - 2, comment.length, true)
    return this.write(place, '.zip', joined([archive, comment]))
  }

  /** What is taken: sound files whose texts are hostile. */
  sound(): Load[] {
    const { words } = this.planted
    const edition = (name: string, day: string): string[] => ['--edition', name, '--effective-from', day]
    const laboratory = () => files.laboratory(words, ROWS)
    const addendum = () => files.addendum(words, ROWS)
    const physician = {
      '.csv': files.relativeValues(words, ROWS),
      ' .csv': files.indices(words, ROWS),
      '  .csv': files.outpatientCap(words, ROWS),
    }
    const places = ['--regions', 'national,US-AK-01', '--accept', 'locality_count']
    const hospital = (name: string, path: string): Load => ({
      args: ['hospital-mrf', path, ...edition(name, '2026-09-01')],
    })
    return [
      {
        args: ['cms-pfs', this.zipped('cms-pfs', physician), ...places, ...edition('RVU26D', '2026-10-01')],
        rows: ROWS * 3,
      },
      {
        args: [
          'cms-pfs',
          this.gzipped('PPRRVU text', '.txt', files.relativeValuesText(words, ROWS)),
          this.gzipped('GPCI text', '.txt', files.indicesText(words, ROWS)),
          ...places,
          ...edition('RVU26C', '2026-07-01'),
        ],
        rows: ROWS * 3,
      },
      {
        args: [
          'cms-clfs',
          this.gzipped('CLFS', '.csv', files.asCsv(laboratory())),
          ...edition('CLFS26Q4', '2026-10-01'),
        ],
        rows: ROWS,
      },
      {
        args: [
          'cms-clfs',
          this.write('CLFS tilde', '.txt', files.asDelimited(laboratory(), '~')),
          ...edition('CLFS26Q3', '2026-07-01'),
        ],
        rows: ROWS,
      },
      {
        args: [
          'cms-clfs',
          this.write('CLFS workbook', '.xlsx', files.asWorkbook(laboratory(), words)),
          ...edition('CLFS26Q2', '2026-04-01'),
        ],
        rows: ROWS,
      },
      {
        args: ['cms-opps', this.write('OPPS', '.csv', files.asCsv(addendum())), ...edition('OPPS26Q4', '2026-10-01')],
        rows: ROWS,
      },
      {
        args: [
          'cms-opps',
          this.write('OPPS tab', '.txt', files.asDelimited(addendum(), '\t')),
          ...edition('OPPS26Q3', '2026-07-01'),
        ],
        rows: ROWS,
      },
      {
        args: [
          'cms-opps',
          this.write('OPPS workbook', '.xlsx', files.asWorkbook(addendum(), words)),
          ...edition('OPPS26Q2', '2026-04-01'),
        ],
        rows: ROWS,
      },
      {
        args: [
          'cms-opps',
          this.write('OPPS conversion', '.csv', files.asCsv(files.conversion(words, ROWS))),
          ...edition('OPPS26Q1', '2026-01-01'),
        ],
        rows: ROWS,
      },
      hospital('TALL', this.gzipped('hospital tall', '.csv', files.tall(words, ROWS))),
      hospital('WIDE', this.zipped('hospital wide', { '.csv': files.wide(words, 40, PAYERS) })),
      hospital('JSON', this.write('hospital JSON', '.json', files.hospitalJson(words, ROWS))),
      {
        args: [
          'hospitals',
          this.write('hospitals', '.csv', files.hospitalPlaces(words, ROWS)),
          ...edition('LIST2026', '2026-01-01'),
        ],
        rows: ROWS,
      },
      { args: ['providers', this.gzipped('providers', '.csv', 'npi,entity_type\n1234567893,2\n')] },
      {
        args: [
          'cms-asp',
          this.gzipped('ASP', '.csv', files.asCsv(files.drugLimits(words, ROWS))),
          ...edition('ASP26Q4', '2026-10-01'),
        ],
      },
      {
        args: [
          'cms-asc',
          ...[false, true].map((isBB) =>
            this.write('ASC', '.csv', files.asCsv(files.surgeryCenter(words, ROWS, isBB))),
          ),
          ...edition('ASC26Q4', '2026-10-01'),
        ],
      },
      {
        args: [
          'cms-dmepos',
          this.write('DMEPOS', '.xlsx', files.asWorkbook(files.equipment(words, 60), words)),
          ...edition('DMEPOS26Q4', '2026-10-01'),
        ],
      },
      {
        args: [
          'cms-anesthesia',
          this.write('ANES', '.csv', files.asCsv(files.anesthesia(words, ROWS))),
          ...edition('ANES2026', '2026-01-01'),
        ],
        rows: 4,
      },
      {
        args: [
          'cms-ipps',
          this.write('Table 5', '.xlsx', files.asWorkbook(files.stays(words, 60), words)),
          this.write('Tables 1', '.txt', files.asDelimited(files.standardAmounts(words), '\t')),
          ...edition('FY2027', '2026-10-01'),
        ],
      },
      ...Object.entries(CLAIMS).map(
        ([chart, claims], i): Load => ({
          args: [
            chart,
            i === 1
              ? this.write('MUE', '.xlsx', files.asWorkbook(files.limits(words, ROWS, claims), words))
              : this.gzipped('MUE', '.csv', files.asCsv(files.limits(words, ROWS, claims))),
            ...edition('MUE26Q4', '2026-10-01'),
          ],
          rows: ROWS,
        }),
      ),
      {
        args: [
          'ncci-ptp-practitioner',
          this.gzipped('PTP', '.txt', files.asDelimited(files.pairs(words, ROWS), '\t')),
          ...edition('PTP26Q4', '2026-10-01'),
        ],
        rows: ROWS,
      },
      {
        args: [
          'ncci-ptp-outpatient',
          this.write('PTP', '.xlsx', files.asWorkbook(files.pairs(words, ROWS), words)),
          ...edition('PTP26Q4', '2026-10-01'),
        ],
        rows: ROWS,
      },
      {
        args: [
          'ncci-add-on',
          this.write('AOC', '.xlsx', files.asWorkbook(files.addOns(words, ROWS), words)),
          ...edition('AOC26Q4', '2026-10-01'),
        ],
        rows: ROWS,
      },
      { args: ['zip-locality', this.gzipped('ZIP5', '.txt', files.zipCodes(words, ROWS))], rows: ROWS },
    ]
  }

  /** What is refused as a whole: texts where the file must say what it is, whose, and from when. */
  refused(): Load[] {
    const { words } = this.planted
    const texts = HOSTILE.map(() => words('a file of nothing but texts', 300)).join('\n')
    const tall = files.tall(words, 2)
    const json = files.hospitalJson(words, 2)
    const gpci = files.indices(words, 2)
    const rvus = this.write('PPRRVU', '.csv', files.relativeValues(words, 2))
    const spoil = (text: string, part: string): string => text.replace(part, JSON.stringify(words(part)).slice(1, -1))
    const named = ['--edition', 'X', '--effective-from', '2026-10-01']
    const refused: [string, string[], string[]][] = [
      ...[...LOAD_KINDS, 'providers'].map((kind): [string, string[], string[]] => [
        kind,
        [this.write(`${kind} of texts`, '.csv', texts)],
        [],
      ]),
      ['hospital-mrf', [this.write('bad NPI', '.csv', spoil(tall, '1234567893'))], []],
      ['hospital-mrf', [this.write('bad day', '.csv', spoil(tall, '2026-09-01'))], []],
      ['hospital-mrf', [this.write('bad NPI', '.json', spoil(json, '1234567893'))], []],
      ['hospital-mrf', [this.write('bad day', '.json', spoil(json, '2026-09-01'))], []],
      ['hospital-mrf', [this.write('cut', '.json', json.slice(0, -9))], []],
      ['hospital-mrf', [this.write('a page', '.csv', `<html>${words('a page')}`)], []],
      ['cms-pfs', [rvus, this.write('bad GPCI', '.csv', spoil(gpci, '0.875'))], named],
      ['cms-pfs', [this.write('no GPCI', '.csv', files.relativeValues(words, 2))], named],
      ['cms-clfs', [this.write('no quarter', '.csv', files.asCsv(files.laboratory(words, 2)))], []],
      [
        'cms-clfs',
        [this.write('not a workbook', '.xlsx', zip([{ name: words('member', 50), data: words('data') }]))],
        [],
      ],
      [
        'cms-clfs',
        [this.write('traversal', '.zip', zip([{ name: `../${words('member', 50)}.csv`, data: texts }]))],
        [],
      ],
      ['zip-locality', [this.write('bad ZIP5', '.txt', words('ZIP5 line', 80))], []],
      ['providers', [this.write('bad NPI', '.csv', `npi,entity_type\n${words('npi', 60)},2\n`)], []],
      ['providers', [this.write('bad type', '.csv', `npi,entity_type\n1234567893,${words('entity', 60)}\n`)], []],
      ['providers', [this.write('bad header', '.csv', `npi,${words('provider header', 60)}\n1234567893,2\n`)], []],
    ]
    return refused.map(([kind, paths, options]) => ({ args: [kind, ...paths, ...options] }))
  }
}
