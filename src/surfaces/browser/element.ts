type Members<K extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[K], 'style' | 'dataset'>>

/** An element with these members and children. Text is set as text alone: nothing of an answer can become markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  members: Members<K> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), members)
  made.append(...children)
  return made
}

export const find = <T extends HTMLElement>(selector: string, within: ParentNode = document): T =>
  within.querySelector(selector) as T

/** A button that does something in the page. */
export const button = (text: string, action: () => unknown): HTMLButtonElement =>
  element('button', { type: 'button', className: 'quiet', textContent: text, onclick: () => void action() })
