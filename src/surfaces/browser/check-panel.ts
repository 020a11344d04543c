// The part of a page with a check step by step, the keys for it, and the comparison with a file.

import type { VerifyOptions } from '../../proof/verify.ts'
import type { ExpectedAnswer } from '../../proof/whole/asked.ts'
import { button, element, find } from './element.ts'
import { type Trust, trustOf, writePin } from './pin.ts'
import { compareSource } from './source-file.ts'
import { type Examination, examine, type PageCheck, type Words } from './steps.ts'

/** The answer to check. It is made anew for each run, with the clock of that time. */
export interface Subject {
  text: string
  asked: ExpectedAnswer
  options: VerifyOptions
}

const WORDS = { good: 'passed', bad: 'failed', open: '' }

export class CheckPanel {
  #trust: Trust = { pin: undefined, sentence: '' }
  #subject: (() => Subject | Promise<Subject>) | undefined
  #rows: Examination['rows'] = []
  readonly #keys = element('textarea', { rows: 5, spellcheck: false, ariaLabel: 'Log policy' })
  readonly #about = element('p')
  readonly #ofSource = element('p', { role: 'status' })
  readonly #again = button('Check again', () => this.run())
  readonly #source = element('div', { hidden: true })
  readonly #lines = element('pre', { hidden: true, tabIndex: 0, ariaLabel: 'The cited lines' })

  constructor(
    readonly section: HTMLElement,
    readonly check: PageCheck,
    readonly words: Words,
  ) {
    const file = element('input', { type: 'file' })
    file.onchange = () => this.#compare(file.files?.[0])
    const drop = element(
      'label',
      { className: 'drop' },
      'Compare with the source file: choose it or drop it here',
      file,
    )
    drop.ondragover = (event) => event.preventDefault()
    drop.ondrop = (event) => {
      event.preventDefault()
      this.#compare(event.dataTransfer?.files[0])
    }
    this.#again.hidden = true
    this.#source.append(drop, this.#ofSource, this.#lines)
    find('.check-tools', section).append(
      this.#again,
      element(
        'details',
        {},
        element('summary', {}, 'Keys'),
        this.#about,
        this.#keys,
        button('Pin this log policy', () => this.#pin()),
      ),
      this.#source,
    )
  }

  /** Loads the keys. After this no network is needed. */
  async prepare(): Promise<void> {
    this.#trust = await trustOf(this.section.dataset['policy'] ?? '/log/policy')
    this.#showTrust()
  }

  #showTrust(): void {
    const { pin, sentence, other } = this.#trust
    this.#about.textContent = sentence
    this.#keys.value = other ?? pin?.text ?? ''
  }

  async #pin(): Promise<void> {
    const pin = writePin(this.#keys.value)
    this.#trust = { pin: pin ?? this.#trust.pin, sentence: pin ? 'Pinned.' : 'This is not a log policy.' }
    this.#about.textContent = this.#trust.sentence
    if (pin) await this.run()
  }

  /** Checks an answer, now and each time that the reader asks again. */
  async show(subject: () => Subject | Promise<Subject>): Promise<void> {
    this.#subject = subject
    this.#again.hidden = this.#source.hidden = false
    await this.run()
  }

  async run(): Promise<void> {
    const { pin, sentence } = this.#trust
    if (!this.#subject) return
    if (!pin) return this.tell('bad', sentence)
    const { text, asked, options } = await this.#subject()
    const { ok, reason, steps, rows, unchecked, claim } = await examine(
      this.check,
      text,
      pin.policy,
      asked,
      options,
      this.words,
    )
    this.#rows = rows
    for (const { step, state, sentence: text } of steps) {
      const item = find(`[data-step=${step}]`, this.section)
      item.dataset['state'] = state === 'open' ? 'waiting' : state
      find('.verdict', item).textContent = WORDS[state]
      find('p', item).textContent = text
    }
    if (ok) this.tell('good', `Passed, in this browser${claim ? `: ${claim}` : '.'} ${sentence}`)
    else if (unchecked) this.tell('waiting', 'This answer cannot be checked as it stands.')
    else this.tell('bad', `Do not rely on this answer: ${reason}.`)
  }

  tell(state: 'good' | 'bad' | 'waiting', sentence: string): void {
    const result = find('.check-result', this.section)
    result.textContent = sentence
    for (const each of [result, this.section]) each.dataset['state'] = state
  }

  async #compare(file: File | undefined): Promise<void> {
    if (!file) return
    const { good, sentence, lines } =
      this.#rows.length > 0
        ? await compareSource(file, this.#rows)
        : { good: false, sentence: 'There is no checked row to compare with.', lines: [] }
    this.#ofSource.textContent = sentence
    this.#ofSource.dataset['state'] = good ? 'good' : 'bad'
    this.#lines.textContent = lines.join('\n')
    this.#lines.hidden = lines.length === 0
  }
}
