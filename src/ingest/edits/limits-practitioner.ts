import { limitReader } from './limits.ts'

export const reader = limitReader('Practitioner Services')
