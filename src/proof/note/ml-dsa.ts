// ML-DSA-44 (FIPS 204), as far as the platform has it. Bun does; Node 20 and most browsers do not yet.

export const ML_DSA_KEY_BYTES = 1312
export const ML_DSA_SIGNATURE_BYTES = 2420

const ALGORITHM = 'ML-DSA-44'
let known: Promise<boolean> | undefined

/** Undefined where the platform cannot tell. */
export async function verifyMlDsa44(
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): Promise<boolean | undefined> {
  known ??= importKey(new Uint8Array(ML_DSA_KEY_BYTES)).then(
    () => true,
    () => false,
  )
  if (!(await known)) return undefined
  try {
    const key = await importKey(publicKey)
    return await crypto.subtle.verify(ALGORITHM, key, new Uint8Array(signature), new Uint8Array(message))
  } catch {
    return false // a key that cannot be read signs nothing
  }
}

/** The types of WebCrypto do not know this format of keys yet. */
const importKey = async (publicKey: Uint8Array): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw-public' as 'raw', new Uint8Array(publicKey), ALGORITHM, false, ['verify'])
