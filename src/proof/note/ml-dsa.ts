// Signatures, as far as the platform can check them. Every platform has Ed25519; ML-DSA-44 (FIPS 204) is in Bun, and not
// yet in Node 20 and most browsers.

export const ML_DSA_KEY_BYTES = 1312
export const ML_DSA_SIGNATURE_BYTES = 2420

/** The types of WebCrypto do not know the format of newer keys yet. */
type Format = 'raw' | 'raw-public'

const imported = new WeakMap<Uint8Array, Promise<CryptoKey>>()

/** Pinned keys are few and used often, and importing one costs as much as a hash of a page. */
function importedKey(format: Format, algorithm: string, publicKey: Uint8Array): Promise<CryptoKey> {
  const known =
    imported.get(publicKey) ?? crypto.subtle.importKey(format as 'raw', buffer(publicKey), algorithm, false, ['verify'])
  imported.set(publicKey, known)
  return known
}

/** WebCrypto takes views of unshared memory only, and nothing here shares any. */
const buffer = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>

export async function isSigned(
  format: Format,
  algorithm: string,
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): Promise<boolean> {
  try {
    const key = await importedKey(format, algorithm, publicKey)
    return await crypto.subtle.verify(algorithm, key, buffer(signature), buffer(message))
  } catch {
    return false // a key that cannot be read, such as a point that is not on the curve, signs nothing
  }
}

const ML_DSA = ['raw-public', 'ML-DSA-44'] as const
const ANY_KEY = new Uint8Array(ML_DSA_KEY_BYTES)

/** Undefined where the platform cannot tell. */
export async function verifyMlDsa44(
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): Promise<boolean | undefined> {
  try {
    await importedKey(...ML_DSA, ANY_KEY)
  } catch {
    return undefined
  }
  return isSigned(...ML_DSA, publicKey, signature, message)
}
