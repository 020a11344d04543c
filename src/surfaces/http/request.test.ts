import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { askedBy, readBody, targetOf } from './request.ts'

const byParser = (target: string): { pathname: string; search: string } => new URL(`http://localhost${target}`)

const piece = fc.constantFrom(
  '/',
  '.',
  '..',
  '?',
  '&',
  '=',
  '%',
  '%2e',
  '%2F',
  '+',
  'a',
  'B9',
  '-',
  '_',
  '~',
  ':',
  '@',
  ';',
  "'",
  '"',
  '<',
  ' ',
  '\\',
  '|',
  '^',
  '`',
  '{',
  'é',
  '\t',
  '#',
  '!',
  '$',
  '(',
  '*',
  ',',
)

test('the short way to path and query gives what a URL parser gives', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const target = `/${pieces.join('')}`
      const { pathname, search } = byParser(target)
      expect([target, targetOf(target)]).toEqual([target, expect.objectContaining({ pathname, search })])
    }),
    { numRuns: 3000 },
  )
  for (const target of [
    '/',
    '/?',
    '/reference?cpt=99213',
    '/a/./b',
    '/a/..',
    '/%2e%2e/b',
    '//x',
    '/.well-known/x',
    '/a?b?c',
  ])
    expect([target, targetOf(target).pathname]).toEqual([target, byParser(target).pathname])
})

test('of a request that is an object, the host is no part of the target', () => {
  const targetBy = (url: string): string => askedBy(new Request(url)).head.target
  expect(targetBy('http://host/reference?cpt=1')).toBe('/reference?cpt=1')
  expect(targetBy('https://host:8787')).toBe('/')
  expect(targetBy('http://host?x=/reference')).toBe('/?x=/reference')
  expect(targetBy('http://host/healthz?x=://host/api/readme')).toBe('/healthz?x=://host/api/readme')
  const { head } = askedBy(new Request('http://host/', { headers: { accept: 'a', 'x-b': 'cd' } }))
  expect([head.get('accept'), head.get('x-c'), head.headerBytes]).toEqual(['a', null, 6 + 1 + 4 + 3 + 2 + 4])
})

test('a body that is too large is refused at once, also one that was copied for its signature and never ends', async () => {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(2_000)) })
  const request = new Request('http://registry.example/', { method: 'POST', body })
  const copy = request.clone()
  await expect(readBody(request, 1_000)).rejects.toThrow()
  expect(copy.bodyUsed).toBe(false)
})
