// The page that checks any answer with a proof. Pasted text does not leave the browser.

import { jsonIn } from '../../proof/canonical-json.ts'
import { isExport } from '../../proof/export/format.ts'
import type { Members } from '../../proof/shape.ts'
import { askedAt, billAsked, type ExpectedAnswer } from '../../proof/whole/asked.ts'
import { type AnyKind, kindOf } from '../../proof/whole/kind.ts'
import { isShortAnswer } from '../../proof/whole/open-points.ts'
import type { REASONS } from '../../proof/whole/reasons.ts'
import { checkWhole } from '../../proof/whole/whole-check.ts'
import { CheckPanel, type Subject } from './check-panel.ts'
import { find } from './element.ts'
import type { exportCheck } from './export-check.ts'
import { ageLimits } from './steps.ts'

const form = find<HTMLFormElement>('#verify')
const answer = find<HTMLTextAreaElement>('#answer-text')
const asked = find<HTMLInputElement>('#asked')
const hours = find<HTMLSelectElement>('#hours')
const file = find<HTMLInputElement>('#answer-file')
/** A given file. It may be too large to be shown. The bytes are those of a Parquet file, whose text is only its mark. */
let held: { text: string; bytes?: Uint8Array } | undefined
const given = (): string => held?.text ?? answer.value
/** The check of exports is loaded when the first one is given. */
let exports: { exportCheck: typeof exportCheck } | undefined
/** The sentences are in the page, because they are many. */
interface PageWords {
  reasons: typeof REASONS
  open: { asked: Record<AnyKind, string>; unasked: Record<AnyKind, string> }
  short: string
}
const words = JSON.parse(find('#words').textContent ?? '') as PageWords
const bodyOf = (text: string): Members => (jsonIn(text) ?? {}) as Members
const panel = new CheckPanel(
  find('#check'),
  (text, ...more) =>
    (exports && isExport(given()) ? exports.exportCheck(checkWhole, held?.bytes ?? given()) : checkWhole)(
      text,
      ...more,
    ),
  {
    reasons: words.reasons,
    ofShort: (text) => (isShortAnswer(bodyOf(text)) ? words.short : undefined),
    open: (text, isAsked) => words.open[isAsked ? 'asked' : 'unasked'][kindOf(bodyOf(text))],
  },
)

/** Reads the question: an address, the lines of a bill, or nothing. */
function expected(question: string): ExpectedAnswer | undefined {
  const today = new Date().toISOString().slice(0, 10)
  if (question === '') return { anyQuestion: true }
  try {
    if (!question.startsWith('{')) return askedAt(question, today)
    const { lines } = JSON.parse(question) as { lines: unknown[] }
    return billAsked(lines, today)
  } catch {
    return undefined
  }
}

async function subject(): Promise<Subject> {
  const question = asked.value.trim()
  const options = hours.value === '' ? {} : ageLimits(Number(hours.value), Date.now())
  if (!isExport(given())) return { text: given(), asked: expected(question) ?? { anyQuestion: true }, options }
  // The question to an export is the name of its release. The proof of its first row has the root of all rows.
  const address = `/rows/${encodeURIComponent(question)}/0`
  const text = await fetch(address)
    .then((response) => response.text())
    .catch(() => '')
  return { text, asked: askedAt(address, '') ?? { anyQuestion: true }, options }
}

form.onsubmit = async (event) => {
  event.preventDefault()
  const question = asked.value.trim()
  if (isExport(given())) {
    if (!question) return panel.tell('bad', 'This is an export: write the name of its release as what was asked.')
    exports ??= await import(form.dataset['exports'] ?? '').catch(() => undefined)
    if (!exports) return panel.tell('bad', 'The check of exports cannot be loaded: the site cannot be reached.')
  } else if (!expected(question))
    return panel.tell('bad', 'What was asked is not understood: paste the address that was asked, or leave it empty.')
  await panel.show(subject)
}

const MOST_SHOWN = 1_000_000
const take = async (dropped: File | undefined): Promise<void> => {
  if (!dropped) return
  const bytes = new Uint8Array(await dropped.arrayBuffer())
  const isBinary = bytes[0] === 0x50 && bytes[1] === 0x41
  held = isBinary ? { text: 'PAR1', bytes } : { text: new TextDecoder().decode(bytes) }
  answer.value = isBinary || held.text.length > MOST_SHOWN ? '' : held.text
  answer.placeholder = dropped.name
}
answer.oninput = () => {
  held = undefined
}
file.onchange = () => take(file.files?.[0])
answer.ondragover = (event) => event.preventDefault()
answer.ondrop = (event) => {
  if (!event.dataTransfer?.files.length) return
  event.preventDefault()
  void take(event.dataTransfer.files[0])
}

await panel.prepare()
form.hidden = false
