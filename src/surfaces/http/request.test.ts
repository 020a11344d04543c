import { expect, test } from 'bun:test'
import { readBody, targetText } from './request.ts'

test('the host is no part of the target, whatever it looks like', () => {
  const target = (url: string): string => targetText(new Request(url))
  expect(target('http://host/reference?cpt=1')).toBe('/reference?cpt=1')
  expect(target('https://host:8787')).toBe('/')
  expect(target('http://host?x=/reference')).toBe('/?x=/reference')
  expect(target('http://host/healthz?x=://host/api/readme')).toBe('/healthz?x=://host/api/readme')
})

test('a body that is too large is refused at once, also one that was copied for its signature and never ends', async () => {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(2_000)) })
  const request = new Request('http://registry.example/', { method: 'POST', body })
  const copy = request.clone()
  await expect(readBody(request, 1_000)).rejects.toThrow()
  expect(copy.bodyUsed).toBe(false)
})
