import { pairReader } from './pairs.ts'

export const reader = pairReader('oph')
