import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { Installation } from '../installation.ts'
import { SCOPE_NAMES, type Scope } from '../operation.ts'
import { fromBase64 } from '../proof/bytes.ts'
import { createKey, type KeyParts, listKeys, revokeKey, rotateKey } from '../rails/keys.ts'
import { type Command, DONE, openStore, show, table, UsageFault } from './command.ts'

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

export const keys: Command = {
  usage:
    'keys create --name N --scopes a,b [--expires 90d] [--public-key BASE64] | list | rotate ID [--expires 90d] | revoke ID [--json]',
  summary: 'Creates, lists, rotates and revokes agent keys. A new key is printed once; the store keeps only a digest',
  options: [
    ['--name N', 'create: a name for the list, 1 to 64 characters'],
    ['--scopes S,S', `create: ${SCOPE_NAMES.join(', ')}`],
    ['--expires TIME', 'create, rotate: lifetime such as 90d, 12h or 30m; by default 365d, or that of the old key'],
    ['--public-key BASE64', 'create: 32 bytes of Ed25519; the holder must then sign each nonce'],
    ['--json', 'prints JSON'],
  ],
  async run(args, config) {
    const [action = '', ...rest] = args
    const { values, positionals } = parseArgs({ args: rest, options: OPTIONS, allowPositionals: true })
    const installation = await openStore(config)
    const parts = keyParts(installation)
    try {
      switch (action) {
        case 'create': {
          const ttlSeconds = values.expires === undefined ? undefined : seconds(values.expires)
          if (values.name === undefined) throw new UsageFault('keys create needs --name')
          const publicKey = values['public-key'] === undefined ? undefined : rawKey(values['public-key'])
          const made = await createKey(parts, {
            name: values.name,
            scopes: scopesOf(values.scopes),
            ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
            ...(publicKey === undefined ? {} : { publicKey }),
          })
          show(
            values.json,
            made,
            `${made.key}\nid ${made.key_id}, scopes ${made.scopes.join(' ')}, until ${made.expires_at}`,
          )
          return DONE
        }
        case 'list': {
          const list = await listKeys(parts)
          const rows = list.map((key) => [key.key_id, key.name, key.state, key.scopes.join(' '), key.expires_at])
          show(values.json, list, table([['id', 'name', 'state', 'scopes', 'expires'], ...rows]))
          return DONE
        }
        case 'rotate': {
          const ttlSeconds = values.expires === undefined ? undefined : seconds(values.expires)
          const made = await rotateKey(parts, onlyId(positionals), { ttlSeconds })
          show(
            values.json,
            made,
            `${made.key}\nid ${made.key_id}, until ${made.expires_at}; the old key works for 24 more hours`,
          )
          return DONE
        }
        case 'revoke': {
          const revoked = await revokeKey(parts, onlyId(positionals))
          show(values.json, revoked, `revoked ${revoked.key_id} and its tokens`)
          return DONE
        }
        default:
          throw new UsageFault('say what to do: atr keys create, list, rotate or revoke')
      }
    } finally {
      await installation.db.close()
    }
  },
}

function scopesOf(text = ''): Scope[] {
  const asked = text
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '')
  const known = SCOPE_NAMES.filter((scope) => asked.includes(scope))
  if (asked.length === 0 || known.length !== new Set(asked).size)
    throw new UsageFault(`--scopes takes a list of ${SCOPE_NAMES.join(', ')}`)
  return known
}

/** `90d`, `12h` or `30m`. */
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
