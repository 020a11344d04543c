import { citedLines } from '../../proof/price/row-of-release.ts'
import { blocks, bullets, markdownCode as code, markdownTable, markdownText as text } from '../site/markup.ts'
import { amountsText, dollars, inWords, periodText, priceText } from '../site/words.ts'
import type { Hospital } from '../words/hospitals.ts'
import { prolongedNote } from '../words/row-text.ts'
import { BASIS_WORDS, wordsOf } from '../words/schedules.ts'
import { arithmeticOf } from './arithmetic.ts'
import { editionIn, type PriceAnswer, type PriceFacts } from './price-facts.ts'
import { type PriceQuestion, pricePath, referencePath } from './price-question.ts'
import {
  absenceTitle,
  choiceText,
  codeText,
  namedText,
  OTHER_LISTS,
  otherLists,
  refusalTitle,
  refusalWords,
  sentencesBeside,
  settingIn,
  shownAmount,
  statement,
} from './price-words.ts'

/** The page as markdown. */
export function priceMarkdown(facts: PriceFacts): string {
  const { question, price, sheet, history, localities } = facts
  return blocks([
    ...(price && question ? priceBlocks(price, question, facts.hospital) : refusalBlocks(facts)),
    sheet.length > 0 ? '## Side by side' : '',
    sheet.length > 0 ? sheetTable(facts) : '',
    localities.length > 1 ? '## Across the country' : '',
    localities.length > 1
      ? markdownTable(
          ['Medicare area', 'Amount'],
          localities.map(({ region, amount }) => [code(region), text(dollars(amount))]),
        )
      : '',
    history.length > 0 ? '## Over time' : '',
    history.length > 0
      ? markdownTable(
          ['Period', 'Edition', 'Amount'],
          history.map((each) => [
            text(periodText(each.effective_from, each.effective_to)),
            code(each.edition),
            each.price ? text(amountsText(each.price)) : 'none',
          ]),
        )
      : '',
    ...(question ? links(facts.base, question) : []),
  ])
}

function priceBlocks(price: PriceAnswer, question: PriceQuestion, hospital: Hospital | undefined): string[] {
  const { release, from, to } = editionIn(price)
  const { is, isNot } = wordsOf(price.basis)
  const { formula, sentences } = arithmeticOf(price)
  const places = citedLines(price, release).map(
    ({ file, sha256, line }) => `file ${code(file)}, line ${line}, SHA-256 ${code(sha256)}`,
  )
  const parts = formula?.parts.map(({ name, rvu, gpci, product }) => `${name}: ${rvu} × ${gpci} = ${product}`) ?? []
  return [
    `# Code ${text(codeText(question))} on ${text(inWords(question.as_of))}`,
    `**${text(shownAmount(price))}** ${text(statement(price, question))}${release.data_class === 'sample' ? ' **SAMPLE**' : ''}`,
    ...sentencesBeside(price, question).map(text),
    bullets([
      ...(hospital?.name === undefined ? [] : [`Hospital: ${text(namedText(hospital))}`]),
      `In force: ${text(periodText(from, to))}`,
      `It is: ${is}`,
      `It is not: ${isNot}`,
      `Release: ${code(release.release_id)}`,
      ...places,
    ]),
    '## How it is computed',
    bullets([
      ...parts,
      ...(formula ? [`Sum ${formula.sum} × conversion factor ${formula.factor} = ${formula.exact}`] : []),
      ...sentences,
    ]),
  ]
}

function refusalBlocks(facts: PriceFacts): string[] {
  const { question, refusal, alternatives } = facts
  if (!refusal) return []
  const { title, meaning, detail } = refusalWords(refusal, question)
  const last = refusal.last_known
  return [
    `# ${text(refusalTitle(facts))}${question ? ` on ${text(inWords(question.as_of))}` : ''}`,
    meaning,
    bullets([
      `Reason: ${code(refusal.code)}, ${title}`,
      ...(detail ? [`In detail: ${text(detail)}`] : []),
      ...(last
        ? [
            `Expired on this day: ${text(amountsText(last.price))} by ${code(editionIn(refusal, last).release.release_id)}`,
          ]
        : []),
      ...[refusal.row, last].flatMap((row) => (row ? prolongedNote(row).map(text) : [])),
      ...(refusal.about?.choices ?? []).map(({ region }) => text(choiceText(region))),
      ...otherLists(facts).map((list) => `${OTHER_LISTS}: [${text(list.label)}](${pricePath(list.question)})`),
      ...alternatives.map(({ label, question: other }) => `Perhaps: [${text(label)}](${pricePath(other)})`),
    ]),
  ]
}

const sheetTable = ({ sheet }: PriceFacts): string =>
  markdownTable(
    ['Kind of price', 'Setting', 'Modifier', 'Place', 'Amount'],
    sheet.map((row) => [
      text(`${BASIS_WORDS[row.basis].short}${row.class ? `, ${row.class}` : ''}`),
      text(settingIn(sheet, row)),
      text(row.modifier ?? 'none'),
      code(row.npi ?? row.region),
      'price' in row ? text(priceText(row.price)) : `none: ${text(absenceTitle(row.reason))}`,
    ]),
  )

const links = (base: string, question: PriceQuestion): string[] => [
  '## Check it',
  `The answer with its proof: [${referencePath(question)}](${referencePath(question)}). Save /log/policy once, then:`,
  ['```sh', `atr verify '${base}${referencePath(question)}' --policy log-policy.txt`, '```'].join('\n'),
  `This page: ${base}${pricePath(question)}`,
]
