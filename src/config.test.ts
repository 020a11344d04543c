import { expect, test } from 'bun:test'
import { ConfigFault, readConfig } from './config.ts'
import { anMlDsaWitness, aSigner } from './proof/fixture.ts'
import { formatVerifierKey } from './proof/note/signed-note.ts'

const signer = await aSigner('witness.example/one')
const vkey = formatVerifierKey(signer.name, signer.publicKey, 4)
const { vkey: mlDsa } = await anMlDsaWitness('witness.example/one')
const URL = 'https://witness.example'

test('a witness is a key, an address and, if it has one, its ML-DSA-44 key', () => {
  const { WITNESSES, witnessQuorum } = readConfig({ WITNESSES: `${vkey} ${URL}/, ${vkey} ${URL} ${mlDsa}` })
  expect(WITNESSES).toMatchObject([
    { key: { type: 4 }, url: URL },
    { key: { type: 4 }, url: URL, mlDsaKey: { type: 6 } },
  ])
  expect(witnessQuorum).toBe(2)
})

test.each([
  ['a key of ML-DSA-44 alone', `${mlDsa} ${URL}`],
  ['two keys of Ed25519', `${vkey} ${URL} ${vkey}`],
  ['a key of a log', `${formatVerifierKey(signer.name, signer.publicKey)} ${URL}`],
  ['a key of small order', `${formatVerifierKey(signer.name, new Uint8Array(32), 4)} ${URL}`],
  ['a word too many', `${vkey} ${URL} ${mlDsa} more`],
  ['no address', vkey],
  ['more lines of ML-DSA-44 than a checkpoint has room for', Array(9).fill(`${vkey} ${URL} ${mlDsa}`).join(',')],
])('witnesses with %s are refused', (_, WITNESSES) => {
  expect(() => readConfig({ WITNESSES })).toThrow('the value of WITNESSES is not valid: it takes witnesses')
})

test('how long witnesses are waited for has bounds', () => {
  expect(readConfig({})).toMatchObject({ WITNESS_TIMEOUT_MS: 10_000, WITNESS_RETRIES: 3, LOG_RPM: 6_000 })
  for (const wrong of ['0', '99', '60001', 'x'])
    expect(() => readConfig({ WITNESS_TIMEOUT_MS: wrong })).toThrow('WITNESS_TIMEOUT_MS')
  for (const wrong of ['-1', '6', '1.5'])
    expect(() => readConfig({ WITNESS_RETRIES: wrong })).toThrow('WITNESS_RETRIES')
})

/** What operators have set by mistake, and what the one sentence says of it. The value may be a secret: it is never repeated. */
const MISTAKES: [setting: string, value: string, says: string][] = [
  ['PORT', 'http', 'a whole number from 0 to 65535'],
  ['PORT', '70000', 'a whole number from 0 to 65535'],
  ['PORT', '87.5', 'a whole number from 0 to 65535'],
  ['PUBLIC_URL', 'registry.example', 'a scheme and a host without a path, such as https://registry.example'],
  ['PUBLIC_URL', 'https://registry.example/api', 'a scheme and a host without a path'],
  ['PUBLIC_URL', 'https://registry.example?x=1', 'a scheme and a host without a path'],
  ['PUBLIC_URL', 'ftp://registry.example', 'a scheme and a host without a path'],
  ['PUBLIC_URL', 'https://', 'a scheme and a host without a path'],
  ['WORKERS', '0', 'a whole number from 1 to 64'],
  ['WORKERS', 'auto', 'a whole number from 1 to 64'],
  ['DATABASE_URL', 'mysql://secret@host/name', 'postgres://user:password@host:5432/name'],
  ['DATABASE_URL', 'postgres://secret@host', 'postgres://user:password@host:5432/name'],
  ['DATABASE_URL', 'host:5432', 'postgres://user:password@host:5432/name'],
  ['DATABASE_POOL', '1', 'a whole number from 2 to 500'],
  ['VALKEY_URL', 'http://secret@host:6379', 'valkey://:password@host:6379'],
  ['VALKEY_URL', 'host:6379', 'valkey://:password@host:6379'],
  ['RELEASES', 's3://UPPER/x', 'a folder, or s3://bucket/prefix'],
  ['RELEASES', 'https://bucket.example/x', 'a folder, or s3://bucket/prefix'],
  ['ARCHIVE', 'gs://bucket/x', 'a folder, or s3://bucket/prefix'],
  ['WITNESSES', 'witness.example', 'witnesses as `<vkey> <url>`'],
  ['WITNESS_QUORUM', '-1', 'a whole number from 0'],
  ['WITNESS_TIMEOUT_MS', '10s', 'a whole number from 100 to 60000'],
  ['TRUSTED_PROXIES', '0.0.0.0/0', 'no wider than /8 (IPv4) and /16 (IPv6)'],
  ['TRUSTED_PROXIES', '::/0', 'no wider than /8 (IPv4) and /16 (IPv6)'],
  ['TRUSTED_PROXIES', 'nginx', 'addresses and ranges such as 10.0.0.0/8'],
  ['TRUSTED_PROXIES', '10.0.0.0/33', 'addresses and ranges such as 10.0.0.0/8'],
  ['CITATIONS_SCHEDULE', 'daily', 'one of on, off, loopback'],
  ['CONTACT', 'the operator', 'a mailbox such as registry@example.org'],
  ['CONTACT', 'http://example.org', 'a mailbox such as registry@example.org'],
  ['LOAD_ROWS', '0', 'a whole number from 1'],
  ['LOAD_SECONDS', '2h', 'a whole number from 1 to 2000000'],
  ['LOAD_MEMORY_BYTES', '2G', 'a whole number from 1'],
  ['DISK_FREE_BYTES', '-5', 'a whole number from 0'],
  ['MCP_ALLOWED_ORIGINS', 'app.example', 'origins such as https://app.example'],
  ['MCP_ALLOWED_ORIGINS', 'https://app.example/page', 'origins such as https://app.example'],
  ['DEFAULT_RPM', '0', 'a whole number from 1 to 10000000'],
  ['REFERENCE_RPM', 'many', 'a whole number from 1 to 10000000'],
  ['ADMIN_PORT', '99999', 'a whole number from 0 to 65535'],
  ['DRAIN_SECONDS', '301', 'a whole number from 0 to 300'],
  ['LAG_SECONDS', '0', 'a whole number from 1 to 3600'],
  ['CACHE_BYTES', '64MB', 'a whole number from 0'],
  ['RATE_LIMITS', 'false', 'one of on, off'],
  ['FIGURES_SCHEDULE', 'monthly', 'one of on, off'],
  ['VERIFY_CPU_PERCENT', '101', 'a number from 0 to 100'],
  ['VERIFY_EVERY_SECONDS', '0', 'a whole number from 1 to 2592000'],
  ['OUTCOMES_RETENTION', 'yes', 'one of on, off'],
  ['CARD_SIGNATURES', 'both', 'one of standard, compatible'],
  ['LOG_LEVEL', 'verbose', 'one of debug, info, warn, error'],
]

test('each mistake in a setting is one sentence that names the setting and says what fits, without the value', () => {
  for (const [setting, value, says] of MISTAKES) {
    let message = ''
    try {
      readConfig({ [setting]: value })
    } catch (error) {
      message = error instanceof ConfigFault ? error.message : `a stack trace: ${String(error)}`
    }
    expect([setting, value, message]).toEqual([
      setting,
      value,
      expect.stringMatching(new RegExp(`^the value of ${setting} is not valid: it takes `)),
    ])
    expect([setting, message]).toEqual([setting, expect.stringContaining(says)])
    expect(message).not.toContain('secret')
    expect(message).not.toContain('\n')
  }
})

test('two wrong settings are both named at once', () => {
  expect(() => readConfig({ PORT: 'x', LOG_LEVEL: 'x' })).toThrow(/PORT .*; the value of LOG_LEVEL/)
})
