import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dir, '../../docs/operate')

/** The pages for operators, one after the other. */
export const manual = (): string =>
  readdirSync(FOLDER)
    .sort()
    .map((page) => readFileSync(join(FOLDER, page), 'utf8'))
    .join('\n')
