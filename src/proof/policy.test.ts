import { expect, test } from 'bun:test'
import { formatPolicy, parsePolicy } from './policy.ts'
import { formatVerifierKey, keyId } from './signed-note.ts'

const publicKey = new Uint8Array(32).map((_, i) => i)
const registry = { name: 'registry.example/log/registry', publicKey }
const figures = { name: 'registry.example/log/figures', publicKey, url: 'https://registry.example/log/figures' }
const LOG = `log ${formatVerifierKey(registry.name, publicKey)}`

test('a policy is read back with the keys it was written with', () => {
  const expected = [registry, figures].map(({ name }) => ({ name, publicKey, id: keyId(name, publicKey) }))
  expect(parsePolicy(formatPolicy([registry, figures]))).toEqual({ logs: expected })
})

test('a policy is written one log a line, with its address if it has one', () => {
  expect(formatPolicy([registry, figures])).toBe(
    `${LOG}\nlog ${formatVerifierKey(figures.name, publicKey)} https://registry.example/log/figures\nquorum none\n`,
  )
})

test('comments, empty lines and further space do not matter', () => {
  expect(parsePolicy(`# trust\n\n${LOG}\n  \nquorum \t none`)?.logs).toHaveLength(1)
})

test.each([
  ['nothing', ''],
  ['no quorum line', `${LOG}\n`],
  ['no log', 'quorum none\n'],
  ['two quorum lines', `${LOG}\nquorum none\nquorum none\n`],
  ['a witness, which is not understood yet', `${LOG}\nwitness w ${LOG.slice(4)}\nquorum none\n`],
  ['a quorum of witnesses', `${LOG}\nquorum w\n`],
  ['a group', `${LOG}\ngroup g any w\nquorum none\n`],
  ['an unknown word', `${LOG}\ntrust everyone\nquorum none\n`],
  ['a word in capitals', `${LOG.replace('log', 'LOG')}\nquorum none\n`],
  ['a log without a key', 'log\nquorum none\n'],
  ['a log with too many words', `${LOG} https://registry.example more\nquorum none\n`],
  ['a key with a wrong id', `${LOG.replace(/\+[0-9a-f]{8}\+/, '+00000000+')}\nquorum none\n`],
  ['a good key beside a damaged one', `${LOG}\n${LOG.slice(0, -4)}\nquorum none\n`],
  ['more after the quorum', `${LOG}\nquorum none at all\n`],
  ['a web page', '<!doctype html>\n<title>not found</title>\n'],
])('a policy with %s is refused whole', (_, text) => {
  expect(parsePolicy(text)).toBeUndefined()
})
