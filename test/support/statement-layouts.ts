// Papers as hospitals, doctors and insurers print them, with invented people and amounts: each as a page, and what truly stands on it.

import type { BillLine } from '../../src/statement/statement.ts'

/** A line of the paper. A credit takes back the line before it. */
export interface TrueLine extends BillLine {
  words: string
  isCredit?: boolean
}

export interface Layout {
  name: string
  /** The members of a line that the paper shows. */
  shows: readonly (keyof BillLine)[]
  html: (lines: readonly TrueLine[]) => string
}

const PERSON = `<p>Patient: Zebulon Canary<br>DOB: 04/12/1961<br>Member ID: ZBC-0078051120<br>Account #: 99214-77301<br>
4217 Larkspur Hollow Rd, Atlanta, GA 30322<br>Phone: (212) 555-0147</p>`
const AFTER = `<p>Diagnosis: Z99.81 Canary syndrome. Notes: BP 180/95, HR 110.</p><p>Questions? Call 1-800-555-0199. Please pay within 30 days.</p>`

const page = (title: string, body: string, css = ''): string =>
  `<!doctype html><meta charset="utf-8"><style>body{font:10pt sans-serif}table{border-collapse:collapse;width:100%}td,th{padding:2px 6px;text-align:left}.r{text-align:right}${css}</style><h1>${title}</h1>${PERSON}${body}${AFTER}`

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table>`

export const grouped = (amount: string): string => amount.replace(/\B(?=(\d{3})+(?=\.))/g, ',')
const usd = (amount = ''): string => `$${grouped(amount)}`
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const parts = (day = ''): [string, string, string] => {
  const [year = '', month = '', date = ''] = day.split('-')
  return [year, month, date]
}
const american = (day?: string): string => parts(day).slice(1).concat(parts(day)[0]).join('/')
const short = (day?: string): string => `${Number(parts(day)[1])}/${Number(parts(day)[2])}/${parts(day)[0].slice(2)}`
const boxed = (day?: string): string => parts(day)[1] + parts(day)[2] + parts(day)[0].slice(2)
const named = (day?: string): string =>
  `${MONTHS[Number(parts(day)[1]) - 1]} ${Number(parts(day)[2])}, ${parts(day)[0]}`
const dashed = (day?: string): string => `${parts(day)[2]}-${MONTHS[Number(parts(day)[1]) - 1]}-${parts(day)[0]}`
const sum = (lines: readonly TrueLine[], name: 'billed' | 'allowed' | 'patient' = 'billed'): string =>
  (
    lines.reduce((total, line) => total + Math.round(Number(line[name] ?? 0) * 100) * (line.isCredit ? -1 : 1), 0) / 100
  ).toFixed(2)
const withModifiers = (line: TrueLine): string => [line.code, ...(line.modifiers ?? [])].join('-')

export const LAYOUTS: readonly Layout[] = [
  {
    name: 'an itemized bill of a hospital',
    shows: ['code', 'revenue_code', 'day', 'units', 'billed'],
    html: (lines) =>
      page(
        'ITEMIZED STATEMENT OF CHARGES',
        `${table(
          ['Date', 'Rev Code', 'CPT/HCPCS', 'Description', 'Qty', 'Amount'],
          lines.map((line) => [
            american(line.day),
            line.revenue_code ?? '',
            line.code ?? '',
            line.words,
            line.units ?? '',
            (line.isCredit ? '-' : '') + usd(line.billed),
          ]),
        )}<p>TOTAL CHARGES: ${usd(sum(lines))}</p>`,
      ),
  },
  {
    name: 'the boxes of a UB-04',
    shows: ['code', 'modifiers', 'revenue_code', 'day', 'units', 'billed'],
    html: (lines) =>
      page(
        'UB-04',
        table(
          [
            '42 REV. CD.',
            '43 DESCRIPTION',
            '44 HCPCS / RATE / HIPPS CODE',
            '45 SERV. DATE',
            '46 SERV. UNITS',
            '47 TOTAL CHARGES',
            '48 NON-COVERED CHARGES',
          ],
          [
            ...lines
              .filter(({ isCredit }) => !isCredit)
              .map((line) => [
                line.revenue_code ?? '',
                line.words.toUpperCase(),
                [line.code, ...(line.modifiers ?? [])].join(' '),
                boxed(line.day),
                line.units ?? '',
                line.billed ?? '',
                '0.00',
              ]),
            ['0001', 'PAGE 1 OF 1', '', '', '', sum(lines.filter(({ isCredit }) => !isCredit)), '0.00'],
          ],
        ),
      ),
  },
  {
    name: 'the lines of a CMS-1500',
    shows: ['code', 'modifiers', 'place_of_service', 'day', 'units', 'billed'],
    html: (lines) =>
      page(
        'HEALTH INSURANCE CLAIM FORM',
        table(
          [
            'From',
            'To',
            'Place of Service',
            'CPT/HCPCS',
            'Modifier',
            'Diagnosis Pointer',
            '$ Charges',
            'Days or Units',
            'Rendering Provider NPI',
          ],
          lines
            .filter(({ isCredit }) => !isCredit)
            .map((line) => [
              american(line.day),
              american(line.day),
              line.place_of_service ?? '',
              line.code ?? '',
              (line.modifiers ?? []).join(' '),
              'A',
              line.billed ?? '',
              line.units ?? '',
              '1234567893',
            ]),
        ),
      ),
  },
  {
    name: "an insurer's statement",
    shows: ['code', 'day', 'billed', 'allowed', 'patient'],
    html: (lines) =>
      page(
        'Explanation of Benefits. THIS IS NOT A BILL',
        table(
          [
            'Date of Service',
            'Procedure Code',
            'Description',
            'Amount Billed',
            'Plan Discount',
            'Allowed Amount',
            'Plan Paid',
            'Deductible',
            'Copay',
            'What You Owe',
          ],
          lines
            .filter(({ isCredit }) => !isCredit)
            .map((line) => {
              const discount = (Number(line.billed) - Number(line.allowed)).toFixed(2)
              const paid = (Number(line.allowed) - Number(line.patient)).toFixed(2)
              return [
                short(line.day),
                line.code ?? '',
                line.words,
                usd(line.billed),
                usd(discount),
                usd(line.allowed),
                usd(paid),
                usd(line.patient),
                '$0.00',
                usd(line.patient),
              ]
            }),
        ) +
          `<p>Total you owe: ${usd(
            sum(
              lines.filter(({ isCredit }) => !isCredit),
              'patient',
            ),
          )}</p>`,
      ),
  },
  {
    name: 'a summary notice of Medicare',
    shows: ['code', 'modifiers', 'billed', 'allowed', 'patient'],
    html: (lines) =>
      page(
        'Your Claims for Part B (Medical Insurance)',
        `<h2>${named(lines[0]?.day)}</h2><p>Dr. Canary, (212) 555-0147</p>` +
          table(
            [
              'Service Provided &amp; Billing Code',
              'Service Approved?',
              'Amount Provider Charged',
              'Medicare-Approved Amount',
              'Amount Medicare Paid',
              'Maximum You May Be Billed',
              'See Notes Below',
            ],
            lines
              .filter(({ isCredit }) => !isCredit)
              .map((line) => [
                `${line.words} (${withModifiers(line)})`,
                'Yes',
                usd(line.billed),
                grouped(line.allowed ?? ''),
                (Number(line.allowed) - Number(line.patient)).toFixed(2),
                usd(line.patient),
                '',
              ]),
          ),
      ),
  },
  {
    name: 'a good faith estimate',
    shows: ['code', 'units', 'billed'],
    html: (lines) =>
      page(
        'Good Faith Estimate for Health Care Items and Services',
        `${table(
          ['Details of Service', 'Service Code', 'Quantity', 'Expected Cost'],
          lines
            .filter(({ isCredit }) => !isCredit)
            .map((line) => [line.words, line.code ?? '', line.units ?? '', usd(line.billed)]),
        )}<p>Total Expected Charges: ${usd(sum(lines.filter(({ isCredit }) => !isCredit)))}</p>`,
      ),
  },
  {
    name: 'cards of a portal',
    shows: ['code', 'units', 'billed', 'day'],
    html: (lines) =>
      page(
        'Billing details',
        `${lines
          .filter(({ isCredit }) => !isCredit)
          .map(
            (line) =>
              `<div>${named(line.day)} &nbsp; ${line.code} ${line.words} &nbsp; x${line.units} &nbsp; ${usd(line.billed)}</div>`,
          )
          .join('')}<div>Total ${usd(sum(lines.filter(({ isCredit }) => !isCredit)))}</div>`,
      ),
  },
  {
    name: 'a bill of a doctor',
    shows: ['code', 'modifiers', 'day', 'billed'],
    html: (lines) =>
      page(
        'STATEMENT',
        `${table(
          ['Date of Service', 'CPT Code', 'Mod', 'Description', 'Charges'],
          lines.map((line) => [
            line.day ?? '',
            line.code ?? '',
            (line.modifiers ?? []).join(' '),
            line.words,
            line.isCredit ? `(${usd(line.billed)})` : usd(line.billed),
          ]),
        )}<p>Insurance paid: $1.00</p><p>Balance due: ${usd(sum(lines))}</p>`,
      ),
  },
  {
    name: 'a narrow list with wrapped words',
    shows: ['code', 'revenue_code', 'day', 'units', 'billed'],
    html: (lines) =>
      page(
        'Detail of account',
        table(
          ['Service Date', 'Description', 'Rev', 'Procedure', 'Units', 'Charge'],
          lines
            .filter(({ isCredit }) => !isCredit)
            .map((line) => [
              dashed(line.day),
              `${line.words} with further words that wrap`,
              line.revenue_code ?? '',
              line.code ?? '',
              line.units ?? '',
              grouped(line.billed ?? ''),
            ]),
        ),
        'body{width:14cm}td:nth-child(2){width:3cm}',
      ),
  },
  {
    name: 'two pages with credits',
    shows: ['code', 'modifiers', 'units', 'billed', 'day'],
    html: (lines) => {
      const half = Math.ceil(lines.length / 2)
      const row = (line: TrueLine): string[] => [
        short(line.day),
        withModifiers(line),
        line.words,
        line.isCredit ? (line.units ?? '') : (line.units ?? ''),
        line.isCredit ? `${grouped(line.billed ?? '')} CR` : grouped(line.billed ?? ''),
      ]
      const heads = ['Date', 'Code', 'Service', 'Units', 'Total Charge']
      return page(
        'Account activity',
        table(heads, lines.slice(0, half).map(row)) +
          `<p style="break-before:page">Page 2 (cont)</p>${table(heads, lines.slice(half).map(row))}`,
      )
    },
  },
]

const SERVICES: readonly [string, string, string, string?][] = [
  ['99284', '0450', 'Emergency visit level', '25'],
  ['96374', '0450', 'Injection into a vein'],
  ['36415', '0300', 'Drawing of blood'],
  ['80053', '0301', 'Metabolic panel, 14 tests'],
  ['85025', '0305', 'Blood count, automated'],
  ['71046', '0320', 'X-ray of chest, 2 views', 'TC'],
  ['70450', '0351', 'CT of head'],
  ['J1885', '0636', 'Ketorolac 15 mg'],
  ['J2405', '0636', 'Ondansetron 1 mg'],
  ['93005', '0730', 'Tracing', '59'],
  ['G0378', '0762', 'Observation, hour'],
  ['A0425', '0540', 'Ground mileage'],
]

/** The lines of the paper number `n`: other services, units, days and amounts each time, always the same. */
export function trueLines(n: number): TrueLine[] {
  let state = n * 7919 + 17
  const next = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * most)
  }
  const count = 4 + next(7)
  const first = next(SERVICES.length)
  const lines = Array.from({ length: count }, (_, i): TrueLine => {
    const [code = '', revenue_code = '', words = '', modifier] = SERVICES[(first + i) % SERVICES.length] ?? []
    const billed = next(4) === 0 ? next(4_000_00) + 1_000_00 : next(900_00) + 5_00
    const allowed = Math.floor(billed / (2 + next(3))) + 1
    const patient = Math.floor(allowed / (1 + next(5)))
    const dollars = (cents: number): string => (cents / 100).toFixed(2)
    return {
      code,
      ...(modifier && { modifiers: [modifier] }),
      revenue_code,
      place_of_service: '23',
      day: `2026-0${1 + (n % 9)}-${String(10 + Math.floor(i / 3)).padStart(2, '0')}`,
      units: String(1 + (i % 3 === 0 ? next(4) : 0)),
      billed: dollars(billed),
      allowed: dollars(allowed),
      patient: dollars(patient),
      words,
    }
  })
  const [taken] = lines.slice(-1)
  return n % 2 === 0 && taken ? [...lines, { ...taken, isCredit: true }] : lines
}
