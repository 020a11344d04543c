import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { COSIGNATURE, ML_DSA_44, parseVerifierKey, type VerifierKey } from './proof/note/signed-note.ts'

/** A setting is not valid. The message names the setting, never its value. */
export class ConfigFault extends Error {}

const port = z.coerce.number().int().min(0).max(65_535)
const count = z.coerce.number().int().min(1)
const rate = z.coerce.number().int().min(1).max(10_000_000)
/** `10.0.0.1` or `10.0.0.0/8`, of either family. */
function isAddressRange(text: string): boolean {
  const [address = '', bits] = text.split('/')
  const family = isIP(address)
  if (family === 0 || bits === undefined) return family !== 0
  const [least, most] = family === 4 ? [WIDEST.v4, 32] : [WIDEST.v6, 128]
  return /^[0-9]{1,3}$/.test(bits) && Number(bits) >= least && Number(bits) <= most
}
/** Whoever calls from inside of a trusted range can claim any address, so that no range is half of the net. */
const WIDEST = { v4: 8, v6: 16 }

/** Each of their lines has 3,300 bytes, and a checkpoint has room for 65,536. */
const MOST_ML_DSA = 8

interface WitnessSetting {
  key: VerifierKey
  url: string
  mlDsaKey?: VerifierKey
}

function parseWitness(text: string): WitnessSetting | undefined {
  const [vkey = '', url = '', second, ...more] = text.split(/\s+/)
  const key = parseVerifierKey(vkey)
  if (key?.type !== COSIGNATURE || !/^https?:\/\/\S+$/.test(url) || more.length > 0) return undefined
  const witness = { key, url: url.replace(/(?<!\/)\/+$/, '') }
  if (second === undefined) return witness
  const mlDsaKey = parseVerifierKey(second)
  return mlDsaKey?.type === ML_DSA_44 ? { ...witness, mlDsaKey } : undefined
}

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

/** A folder, or `s3://bucket/prefix`. */
const folderOrBucket = z
  .string()
  .regex(/^(?:s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[A-Za-z0-9._/-]*)?|(?![a-z][a-z0-9+.-]*:\/\/).+)$/)

/** All settings. Parsing, help and `.env.example` come from this one schema. */
export const Settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on. Demo mode listens on loopback only.'),
  PORT: port.default(8787).describe('Port to listen on; 0 picks a free one.'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[?#]/.test(url) && /^\/*$/.test(URL.parse(url)?.pathname ?? ''))
    .optional()
    .describe('Where agents reach the service: a scheme and a host, without a path. Default: http://HOST:PORT.'),
  WORKERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('How many processes answer requests, on one port. More than one needs Linux and VALKEY_URL.'),
  DATA_DIR: z
    .string()
    .min(1)
    .default('./data')
    .describe('Folder for the store, unless DATABASE_URL is set, the release files, the log keys and the pepper.'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/[^/]+\/[^/?]+/)
    .optional()
    .describe(
      'PostgreSQL database of the store, as postgres://user:password@host:5432/name. Default: SQLite in DATA_DIR/registry.db.',
    ),
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(2)
    .max(500)
    .default(10)
    .describe('How many connections to PostgreSQL each process uses, without one for publishing and one for a lock.'),
  VALKEY_URL: z
    .string()
    .regex(/^(redis|rediss|valkey|valkeys):\/\/[^/]+/)
    .optional()
    .describe(
      'Valkey or Redis that counts requests for all machines together, as valkey://:password@host:6379. Default: each machine counts for itself.',
    ),
  RELEASES: folderOrBucket
    .optional()
    .describe(
      'Folder for the files of the releases, one each; or s3://bucket/prefix, object storage that several machines share, with copies in DATA_DIR/releases. Default: DATA_DIR/releases.',
    ),
  SIGNING_KEY_FILE: z.string().optional().describe('File with the log keys. Default: DATA_DIR/log-keys.'),
  PEPPER_FILE: z
    .string()
    .optional()
    .describe('File with the secret that keys the digests of stored credentials. Default: DATA_DIR/pepper.'),
  LOCK_DIR: z
    .string()
    .optional()
    .describe(
      'Folder for the last signed checkpoints. Keep it out of backups of DATA_DIR, and never restore it. Default: DATA_DIR.lock.',
    ),
  WITNESSES: list
    .transform((items) => items.map(parseWitness))
    .refine((witnesses) => !witnesses.includes(undefined))
    .transform((witnesses) => witnesses.filter((witness) => witness !== undefined))
    .refine((witnesses) => witnesses.filter(({ mlDsaKey }) => mlDsaKey).length <= MOST_ML_DSA)
    .default([])
    .describe(
      'Witnesses of the logs, comma separated, each as `<vkey> <url>`, and its ML-DSA-44 vkey after that if it has one. Default: none.',
    ),
  WITNESS_QUORUM: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('How many witnesses must cosign before anything new becomes public. Default: all.'),
  WITNESS_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(60_000)
    .default(10_000)
    .describe('How long to wait for each answer of a witness, in milliseconds.'),
  WITNESS_RETRIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(5)
    .default(3)
    .describe('How often a request is repeated that a witness did not answer, or answered with 429 or 5xx.'),
  TRUSTED_PROXIES: list
    .refine((proxies) => proxies.every(isAddressRange))
    .default([])
    .describe(
      'Addresses and ranges such as 10.0.0.0/8, comma separated, whose X-Forwarded-For is trusted. Default: none.',
    ),
  ARCHIVE: folderOrBucket
    .optional()
    .describe(
      'A folder for copies of cited files, by their digest; or s3://bucket/prefix, as with RELEASES. Default: none is kept.',
    ),
  CITATIONS_SCHEDULE: z
    .enum(['on', 'off', 'loopback'])
    .default('off')
    .describe(
      '`on` looks at the addresses of cited files while serving, in a process of its own, when each is due; `loopback`: also at addresses of this machine.',
    ),
  DISK_FREE_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(1024 ** 3)
    .describe('`atr doctor` fails if a disk has less room left than this, in bytes.'),
  CONTACT: z
    .union([z.email(), z.url({ protocol: /^https$/ })])
    .optional()
    .describe(
      'Where people reach you: a mailbox or an https address. It stands in security.txt and in the plugin manifest.',
    ),
  PUBLISHERS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Your own table of publishers for `atr fetch`, in the form of docs/spec/tables/publishers.json, where a page has moved or you keep a mirror. Default: the table of the program.',
    ),
  HOSPITALS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with the hospitals whose price files `atr fetch` and `atr update` take: npi,domain_or_address,location in each line. Default: DATA_DIR/hospitals.csv, if it is there.',
    ),
  UPDATES: z
    .enum(['off', 'on', 'publish'])
    .default('off')
    .describe(
      '`on` fetches what is due while serving, in a process of its own, and stages it; `publish` also publishes what the breaker allows.',
    ),
  ON_UPDATE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A command, or an address, that is told of news by `atr update`, as JSON on its standard input or in a POST. Default: none.',
    ),
  SIGN_FETCHES: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      '`on` signs the requests of `atr fetch` and `atr update` (RFC 9421, Web Bot Auth) with a key that the service publishes. Needs PUBLIC_URL.',
    ),
  LOAD_ROWS: count.default(50_000_000).describe('How many rows one `atr load` may make.'),
  LOAD_KEYS: count
    .default(20_000_000)
    .describe('How many combinations of code, modifier, setting and class one hospital file may state.'),
  LOAD_SCRATCH_BYTES: count
    .default(64 * 1024 ** 3)
    .describe(
      'How much one `atr load` may write to temporary files, in bytes; rows count as they are before they are packed.',
    ),
  LOAD_SECONDS: count
    .max(2_000_000)
    .default(7_200)
    .describe('How long one `atr load` may take until its release is staged. It is stopped after that.'),
  LOAD_MEMORY_BYTES: count
    .default(2 * 1024 ** 3)
    .describe('How much memory one `atr load` may use until its release is staged. It is stopped beyond that.'),
  HOSPITAL_NAMES: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with your own names for hospitals, read at the start: in each line an NPI, a blank and the name. Pages find hospitals by them and say that they are yours. Default: none.',
    ),
  MCP_ALLOWED_ORIGINS: list
    .refine((origins) => origins.every((origin) => URL.parse(origin)?.origin === origin))
    .default([])
    .describe(
      'Origins of web pages that may use MCP, such as https://app.example, comma separated. Programs need none. Default: only the pages of PUBLIC_URL.',
    ),
  DEFAULT_RPM: rate.default(120).describe('Requests per minute and caller on most routes.'),
  REFERENCE_RPM: rate.default(300).describe('Requests per minute and caller on /reference.'),
  LOG_RPM: rate
    .default(6_000)
    .describe('Requests per minute and caller on the checkpoints, tiles, entries and proofs of the logs.'),
  ANONYMOUS_RPM: rate
    .default(600_000)
    .describe('Requests per minute of all callers without a credential together, in each quota.'),
  ADMIN_PORT: port
    .optional()
    .describe('Port for /metrics, in the form of Prometheus; 0 picks a free one. Default: none.'),
  METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address on which /metrics listens. It asks for no credential, so only Prometheus may reach it.'),
  DRAIN_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(5)
    .describe(
      'How long the service goes on answering after SIGTERM, while /readyz says 503 and every answer closes its connection.',
    ),
  LAG_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(60)
    .describe(
      'How long lookups are answered by an older state of the registry while the files of the newest releases cannot be fetched. After that they are refused with 503.',
    ),
  CACHE_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(64 * 1024 * 1024)
    .describe('How much memory each process uses for ready-made answers, in bytes; 0 makes each answer anew.'),
  RATE_LIMITS: z.enum(['on', 'off']).default('on').describe('`off` is allowed on loopback only.'),
  FIGURES_SCHEDULE: z
    .enum(['on', 'off'])
    .default('off')
    .describe('`on` releases the figures on the first Tuesday of each month, 00:00 UTC, while serving.'),
  VERIFY_CPU_PERCENT: z.coerce
    .number()
    .min(0)
    .max(100)
    .default(2)
    .describe(
      'How much of one processor is used to re-derive everything that is public again and again while serving; 0: never.',
    ),
  VERIFY_EVERY_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(30 * 86_400)
    .default(3_600)
    .describe('How long after its last verification a release or log is verified again, at the earliest.'),
  OUTCOMES_RETENTION: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      '`on`: each release of the figures removes the cases that are older than the eight quarters of the previous release.',
    ),
  CARD_SIGNATURES: z
    .enum(['standard', 'compatible'])
    .default('standard')
    .describe(
      '`compatible` signs the agent card a second time, without its security schemes, for clients that leave them out when they verify.',
    ),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('The least important lines that go to standard error.'),
})

export interface Config extends z.output<typeof Settings> {
  signingKeyFile: string
  pepperFile: string
  storeFile: string
  releasesDir: string
  /** Object storage of the release files, from which machines fetch what they do not have. */
  releasesUrl?: string | undefined
  lockDir: string
  hospitalsFile: string
  witnessQuorum: number
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = Settings.safeParse(given)
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0]) as keyof typeof Settings.shape))]
    throw new ConfigFault(names.map((name) => `the value of ${name} is not valid: it takes ${fitsOf(name)}`).join('; '))
  }
  const config = parsed.data
  if (config.RATE_LIMITS === 'off' && !isLoopback(config.HOST))
    throw new ConfigFault('RATE_LIMITS=off is allowed only with a loopback HOST')
  if (config.SIGN_FETCHES === 'on' && config.PUBLIC_URL === undefined)
    throw new ConfigFault('SIGN_FETCHES needs PUBLIC_URL: requests name the address that publishes their key')
  if ((config.WITNESS_QUORUM ?? 0) > config.WITNESSES.length)
    throw new ConfigFault('WITNESS_QUORUM asks for more witnesses than WITNESSES names')
  const inData = (file: string): string => resolve(config.DATA_DIR, file)
  const isRemote = config.RELEASES?.startsWith('s3://') ?? false
  return {
    ...config,
    ...(config.PUBLIC_URL ? { PUBLIC_URL: config.PUBLIC_URL.replace(/(?<!\/)\/+$/, '') } : {}),
    signingKeyFile: config.SIGNING_KEY_FILE ?? inData('log-keys'),
    pepperFile: config.PEPPER_FILE ?? inData('pepper'),
    storeFile: inData('registry.db'),
    ...(isRemote ? { releasesUrl: config.RELEASES } : {}),
    releasesDir: resolve(isRemote ? inData('releases') : (config.RELEASES ?? inData('releases'))),
    witnessQuorum: config.WITNESS_QUORUM ?? config.WITNESSES.length,
    hospitalsFile: resolve(config.HOSPITALS ?? inData('hospitals.csv')),
    lockDir: resolve(config.LOCK_DIR ?? `${config.DATA_DIR}.lock`),
  }
}

/** What the settings take that are neither a number nor one of some words. */
const FITS: { [name in keyof typeof Settings.shape]?: string } = {
  HOST: 'an address of this machine, such as 127.0.0.1',
  METRICS_HOST: 'an address of this machine, such as 127.0.0.1',
  PUBLIC_URL: 'a scheme and a host without a path, such as https://registry.example',
  DATABASE_URL: 'an address such as postgres://user:password@host:5432/name',
  VALKEY_URL: 'an address such as valkey://:password@host:6379',
  RELEASES: 'a folder, or s3://bucket/prefix with a bucket in small letters',
  ARCHIVE: 'a folder, or s3://bucket/prefix with a bucket in small letters',
  WITNESSES: `witnesses as \`<vkey> <url>\` or \`<vkey> <url> <ML-DSA-44 vkey>\`, comma separated, at most ${MOST_ML_DSA} with an ML-DSA-44 vkey`,
  TRUSTED_PROXIES: `addresses and ranges such as 10.0.0.0/8, comma separated, no wider than /${WIDEST.v4} (IPv4) and /${WIDEST.v6} (IPv6): whoever calls from inside can claim any address`,
  CONTACT: 'a mailbox such as registry@example.org, or an https address',
  MCP_ALLOWED_ORIGINS: 'origins such as https://app.example, without a path, comma separated',
}

/** Says what a setting takes, without its value, which may be a secret. */
function fitsOf(name: keyof typeof Settings.shape): string {
  const field = innermost(Settings.shape[name])
  if (field instanceof z.ZodEnum) return `one of ${field.options.join(', ')}`
  if (!(field instanceof z.ZodNumber)) return FITS[name] ?? 'a text that is not empty'
  const { minValue, maxValue } = field
  const most = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? '' : ` to ${maxValue}`
  return `${field.isInt ? 'a whole number' : 'a number'} from ${minValue}${most}`
}

const innermost = (field: z.core.$ZodType): z.core.$ZodType =>
  field instanceof z.ZodOptional || field instanceof z.ZodDefault ? innermost(field.unwrap()) : field

/** The text of `.env.example`. */
export function environmentExample(): string {
  const defaults = Settings.parse({})
  const lines = Object.entries(Settings.shape).map(([name, field]) => {
    const value = defaults[name as keyof typeof defaults]
    const shown = Array.isArray(value) ? value.join(',') : (value ?? '')
    return `# ${field.description}\n${name}=${shown}\n`
  })
  return `# Settings and their defaults. An empty value means the default.\n\n${lines.join('\n')}`
}
