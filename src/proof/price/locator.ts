// Where a row stands in the files that its release cites.

import { closed, count, listOf } from '../shape.ts'

export type Locator = { citation: number; line: number }[]

export const isLocator = listOf(closed({ citation: count, line: (value) => count(value) && value !== 0 }))
