import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { Installation } from '../installation.ts'
import { SCOPE_NAMES, type Scope } from '../operation.ts'
import { fromBase64 } from '../proof/bytes.ts'
import { createKey, type KeyParts, listKeys, revokeKey, rotateKey } from '../rails/keys.ts'
import { type Command, DONE, JSON_OPTION, openStore, show, table, UsageFault, unknownAction } from './command.ts'

export const keyParts = ({ db, pepper }: Installation): KeyParts => ({
  db,
  pepper,
  now: () => db.now(),
  random: (bytes) => new Uint8Array(randomBytes(bytes)),
})

const OPTIONS = {
  name: { type: 'string' },
  scopes: { type: 'string' },
  expires: { type: 'string' },
  'public-key': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

const ACTIONS = {
  create: {
    usage: 'keys create --name N --scopes S,S [--expires 90d] [--public-key BASE64] [--json]',
    summary: 'Creates an agent key, and prints it this once',
    options: [
      ['--name N', 'a name for the list, 1 to 64 characters'],
      ['--scopes S,S', SCOPE_NAMES.join(', ')],
      ['--expires TIME', 'lifetime such as 90d, 12h or 30m; 365d by default'],
      ['--public-key BASE64', '32 bytes of Ed25519; the holder must then sign each nonce'],
      JSON_OPTION,
    ],
    examples: [['keys create --name acme --scopes registry:read,audit:read --expires 90d', 'a key for three months']],
  },
  list: {
    usage: 'keys list [--json]',
    summary: 'Lists every key with its id, its scopes and its end',
    options: [JSON_OPTION],
    examples: [['keys list', 'shows the ids that rotate and revoke take']],
  },
  rotate: {
    usage: 'keys rotate ID [--expires 90d] [--json]',
    summary: 'Makes a new key with the name and scopes of an old one, which works for 24 more hours',
    options: [['--expires TIME', 'lifetime such as 90d; by default that of the old key'], JSON_OPTION],
    examples: [['keys rotate 4fZq1xT9bC2k', 'prints the new key this once']],
  },
  revoke: {
    usage: 'keys revoke ID [--json]',
    summary: 'Ends a key and its tokens at once',
    options: [JSON_OPTION],
    examples: [['keys revoke 4fZq1xT9bC2k', 'when a key was lost']],
  },
} as const

export const keys: Command = {
  usage: 'keys ACTION',
  summary: 'Creates, lists, rotates and revokes agent keys. A new key is printed once; the store keeps only a digest',
  actions: ACTIONS,
  async run(args, config) {
    const [action = '', ...rest] = args
    if (!Object.hasOwn(ACTIONS, action)) throw unknownAction('keys', action, ACTIONS)
    const { values, positionals } = parseArgs({ args: rest, options: OPTIONS, allowPositionals: true })
    const request = parseRequest(action, values, positionals) // before the store is opened, because it may be invalid
    const installation = await openStore(config, { takesOlder: true })
    const parts = keyParts(installation)
    try {
      switch (request.action) {
        case 'create': {
          const issued = await createKey(parts, request.key)
          const text = `${issued.key}\nid ${issued.key_id}, scopes ${issued.scopes.join(' ')}, until ${issued.expires_at}`
          show(values.json, issued, text)
          return DONE
        }
        case 'list': {
          const list = await listKeys(parts)
          const rows = list.map((key) => [key.key_id, key.name, key.state, key.scopes.join(' '), key.expires_at])
          show(values.json, list, table([['id', 'name', 'state', 'scopes', 'expires'], ...rows]))
          return DONE
        }
        case 'rotate': {
          const issued = await rotateKey(parts, request.id, { ttlSeconds: request.ttlSeconds })
          const text = `${issued.key}\nid ${issued.key_id}, until ${issued.expires_at}; the old key works for 24 more hours`
          show(values.json, issued, text)
          return DONE
        }
        case 'revoke': {
          const revoked = await revokeKey(parts, request.id)
          show(values.json, revoked, `revoked ${revoked.key_id} and its tokens`)
          return DONE
        }
      }
    } finally {
      await installation.db.close()
    }
  },
}

type KeyRequest =
  | { action: 'create'; key: Parameters<typeof createKey>[1] }
  | { action: 'list' }
  | { action: 'rotate'; id: string; ttlSeconds: number | undefined }
  | { action: 'revoke'; id: string }

interface KeyValues {
  name?: string | undefined
  scopes?: string | undefined
  expires?: string | undefined
  'public-key'?: string | undefined
}

function parseRequest(action: string, values: KeyValues, positionals: readonly string[]): KeyRequest {
  const ttlSeconds = values.expires === undefined ? undefined : seconds(values.expires)
  if (action === 'rotate') return { action, id: onlyId(positionals), ttlSeconds }
  if (action === 'revoke') return { action, id: onlyId(positionals) }
  if (action === 'list') return { action }
  if (values.name === undefined) throw new UsageFault('keys create needs --name')
  const publicKey = values['public-key'] === undefined ? undefined : rawKey(values['public-key'])
  return {
    action: 'create',
    key: {
      name: values.name,
      scopes: parseScopes(values.scopes),
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
      ...(publicKey === undefined ? {} : { publicKey }),
    },
  }
}

function parseScopes(text = ''): Scope[] {
  const words = text
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '')
  const known = SCOPE_NAMES.filter((scope) => words.includes(scope))
  if (words.length === 0 || known.length !== new Set(words).size)
    throw new UsageFault(`--scopes takes a list of ${SCOPE_NAMES.join(', ')}`)
  return known
}

/** Reads a time such as `90d`, `12h` or `30m`. */
function seconds(text: string): number {
  const match = /^([1-9][0-9]{0,4})([dhm])$/.exec(text)
  if (!match) throw new UsageFault('--expires takes a time such as 90d, 12h or 30m')
  return Number(match[1]) * ({ d: 86_400, h: 3_600, m: 60 }[match[2] ?? ''] ?? 0)
}

function rawKey(text: string): Uint8Array {
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/').padEnd(44, '='))
  if (bytes?.length !== 32) throw new UsageFault('--public-key takes the 32 bytes of an Ed25519 key in base64')
  return bytes
}

function onlyId(positionals: readonly string[]): string {
  const [id] = positionals
  if (id === undefined || positionals.length > 1)
    throw new UsageFault('name one key by its id, as `atr keys list` shows it')
  return id
}
