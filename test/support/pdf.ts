import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from './program.ts'

/** A printed document, read back by a program that did not write it. */
export interface ReadPdf {
  pages: number
  text: string
  /** The first page in grey, a byte for each point. */
  image: { width: number; height: number; points: Uint8Array }
}

function run(command: readonly string[]): Uint8Array {
  const { stdout, stderr, exitCode } = Bun.spawnSync([...command])
  if (exitCode !== 0) throw new Error(`${command[0]} failed: ${stderr}`)
  return stdout
}

/** Whether poppler is here. */
export const hasPdfReader = (): boolean => findProgram(['pdftotext'], ['poppler-utils']) !== undefined

export function readPdf(pdf: Uint8Array): ReadPdf {
  const folder = mkdtempSync(join(tmpdir(), 'pdf-'))
  try {
    const file = join(folder, 'sheet.pdf')
    writeFileSync(file, pdf)
    const text = new TextDecoder().decode(run(['pdftotext', '-layout', file, '-']))
    run(['pdftoppm', '-gray', '-r', '50', '-f', '1', '-singlefile', file, join(folder, 'page')])
    const image = readFileSync(join(folder, 'page.pgm'))
    const [whole = '', width, height] = /^P5\s(\d+)\s(\d+)\s255\s/.exec(image.subarray(0, 40).toString('latin1')) ?? []
    // Each page ends with a form feed.
    return {
      pages: text.split('\f').length - 1,
      text,
      image: { width: Number(width), height: Number(height), points: image.subarray(whole.length) },
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
