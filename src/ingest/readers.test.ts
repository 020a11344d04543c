import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { READERS } from './readers.ts'

const folder = mkdtempSync(join(tmpdir(), 'readers-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('all of a folder may be given: the PDF that explains the files is left alone', async () => {
  const guide = join(folder, 'RVU26D.pdf')
  writeFileSync(guide, '%PDF-1.7 ...')
  const options = { edition: 'E1', effective_from: '2026-10-01', data_class: 'sample' } as const
  const paths = [guide, 'sample/PPRRVU-SAMPLE26D.csv', 'sample/GPCI-SAMPLE26.csv']
  const reading = await READERS['cms-pfs']?.read(paths, options, new Map())
  expect(reading?.cited.length).toBe(2)
  expect(READERS['cms-pfs']?.read([guide], options, new Map())).rejects.toMatchObject({
    detail: expect.stringContaining('is a PDF'),
  })
})

test('a refusal among many files says which of them it is about, by its place', async () => {
  const page = join(folder, 'error.csv')
  writeFileSync(page, '<!doctype html><p>Not found')
  const [rvus, gpci] = ['sample/PPRRVU-SAMPLE26D.csv', 'sample/GPCI-SAMPLE26.csv']
  for (const kind of ['cms-pfs', 'zip-locality'])
    await expect(READERS[kind]?.read([rvus, page, gpci] as string[], {}, new Map())).rejects.toMatchObject({
      code: 'source_unreadable',
      detail: expect.stringMatching(/^file 2 of the 3 that were given: the file is a web page/),
    })
  await expect(READERS['cms-pfs']?.read([page], {}, new Map())).rejects.toMatchObject({
    detail: expect.stringMatching(/^the file is a web page/),
  })
})
