import { expect, test } from 'bun:test'
import { z } from 'zod'
import { operation } from '../../operation.ts'
import { askOf } from './ask.ts'

const facts = (name: string, access: 'public' | 'registry:read') =>
  operation({
    name,
    summary: 'Facts',
    description: 'Facts',
    tag: 'discovery',
    http: { method: 'GET', path: `/${name}` },
    access,
    limit: 'default',
    cache: 'no-store',
    input: z.strictObject({}),
    output: z.strictObject({ fact: z.string() }),
    problems: [],
    run: async () => ({ fact: name }),
  })

test('a page gets what is public, and nothing that needs a token', async () => {
  const ask = askOf(
    () => [facts('open', 'public'), facts('closed', 'registry:read')],
    () => 'https://registry.example',
  )
  expect((await ask('open', {})).body).toEqual({ fact: 'open' })
  expect(ask('closed', {})).rejects.toThrow('not public')
  expect(ask('missing', {})).rejects.toThrow('does not exist')
})
