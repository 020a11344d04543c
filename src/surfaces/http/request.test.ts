import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rawTarget, readBody, targetOf } from './request.ts'

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
      // A real request has no fragment or whitespace in its target; a request made by a test is parsed twice.
      const request = { url: `http://registry.example${target}` } as Request
      expect([target, targetOf(request)]).toEqual([target, expect.objectContaining({ pathname, search })])
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
    expect([target, targetOf({ url: `http://h${target}` } as Request).pathname]).toEqual([
      target,
      byParser(target).pathname,
    ])
})

test('no host is taken for a target', () => {
  expect(rawTarget('http://host/reference?cpt=1')).toBe('/reference?cpt=1')
  expect(rawTarget('https://host:8787/')).toBe('/')
  for (const url of [
    'http://host',
    'http://host?x=/reference',
    'http://host#/reference',
    '/reference',
    'reference',
    '',
  ])
    expect([url, rawTarget(url)]).toEqual([url, undefined])
})

test('the query of a target without a host does not choose the path', () => {
  const request = { url: '/healthz?x=://host/api/readme' } as Request
  expect(rawTarget(request.url)).toBeUndefined()
  expect(targetOf(request).pathname).toBe('/healthz')
})

test('a body that is too large is refused at once, also one that was copied for its signature and never ends', async () => {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(2_000)) })
  const request = new Request('http://registry.example/', { method: 'POST', body })
  const copy = request.clone()
  await expect(readBody(request, 1_000)).rejects.toThrow()
  expect(copy.bodyUsed).toBe(false)
}, 2_000)
