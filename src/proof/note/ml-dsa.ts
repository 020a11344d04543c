// Signatures by WebCrypto. ML-DSA-44 (FIPS 204) is in Bun, and not yet in Node 20 and most browsers.

export const ML_DSA_KEY_BYTES = 1312
export const ML_DSA_SIGNATURE_BYTES = 2420

/** The types of WebCrypto do not know the format of newer keys yet. */
type KeyFormat = 'raw' | 'raw-public'

const imported = new WeakMap<Uint8Array, Promise<CryptoKey>>()

/** Importing a key takes long, and pinned keys are used often. */
function importedKey(format: KeyFormat, algorithm: string, publicKey: Uint8Array): Promise<CryptoKey> {
  const key =
    imported.get(publicKey) ?? crypto.subtle.importKey(format as 'raw', copyOf(publicKey), algorithm, false, ['verify'])
  imported.set(publicKey, key)
  return key
}

/** WebCrypto reads bytes later: a copy does not change, and is not shared. */
const copyOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

export async function isSigned(
  format: KeyFormat,
  algorithm: string,
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): Promise<boolean> {
  const copies = [copyOf(signature), copyOf(message)] as const
  try {
    return await crypto.subtle.verify(algorithm, await importedKey(format, algorithm, publicKey), ...copies)
  } catch {
    return false // a key that cannot be read, such as a point that is not on the curve, signs nothing
  }
}

const ML_DSA = ['raw-public', 'ML-DSA-44'] as const
const ANY_KEY = new Uint8Array(ML_DSA_KEY_BYTES)

/** Undefined if the platform cannot check it. */
export async function verifyMlDsa44(
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): Promise<boolean | undefined> {
  const signed = isSigned(...ML_DSA, publicKey, signature, message)
  try {
    await importedKey(...ML_DSA, ANY_KEY)
  } catch {
    return undefined
  }
  return signed
}
