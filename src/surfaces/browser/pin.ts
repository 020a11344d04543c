// The log policy that this browser trusts: pinned at first use, and kept. A later change by the site is noticed.

import { parsePolicy, type TrustPolicy } from '../../proof/note/policy.ts'

const NAME = 'log-policy'

export interface Pin {
  text: string
  policy: TrustPolicy
  /** The day on which it was pinned. */
  since: string
}

export function readPin(): Pin | undefined {
  try {
    const { text, since } = JSON.parse(localStorage.getItem(NAME) ?? '{}')
    const policy = parsePolicy(String(text))
    return policy && { text, policy, since: String(since) }
  } catch {
    return undefined
  }
}

/** Pins a policy; undefined if the text is not one. A browser without storage trusts it for this page only. */
export function writePin(text: string): Pin | undefined {
  const policy = parsePolicy(text)
  if (!policy) return undefined
  const since = new Date().toISOString().slice(0, 10)
  try {
    localStorage.setItem(NAME, JSON.stringify({ text, since }))
  } catch {
    // Storage is full or switched off.
  }
  return { text, policy, since }
}

/** The pinned keys, and a sentence about them for the reader. */
export interface Trust {
  pin: Pin | undefined
  sentence: string
  /** The policy that the site serves now, if it is not the pinned one. */
  other?: string
}

/** Older browsers have no Ed25519, and pages without https no WebCrypto: there every signature would look false. */
async function canVerify(): Promise<boolean> {
  const basePoint = new Uint8Array(32).fill(0x66).fill(0x58, 0, 1)
  try {
    return Boolean(await crypto.subtle.importKey('raw', basePoint, 'Ed25519', false, ['verify']))
  } catch {
    return false
  }
}

/** Pins the policy that the site serves at first use, and says so. Without network it uses the pinned one. */
export async function trustOf(address: string): Promise<Trust> {
  if (!(await canVerify()))
    return { pin: undefined, sentence: 'This browser cannot check signatures here. Use a newer one, over https.' }
  const pin = readPin()
  const served = await fetch(address)
    .then((response) => (response.ok ? response.text() : undefined))
    .catch(() => undefined)
  if (!pin) {
    const first = served === undefined ? undefined : writePin(served)
    const sentence = first
      ? 'First use: this browser took the keys that the site serves now, and pinned them. Compare them with keys from another source.'
      : 'There are no keys to check with. Paste a log policy that you trust, and pin it.'
    return { pin: first, sentence }
  }
  const kept = `The keys are those that you pinned on ${pin.since}.`
  if (served === undefined) return { pin, sentence: `${kept} The site cannot be reached, and need not be.` }
  if (served === pin.text) return { pin, sentence: `${kept} The site still serves the same.` }
  return {
    pin,
    sentence: `${kept} The site now serves other keys. Pin them only if you have compared them.`,
    other: served,
  }
}
