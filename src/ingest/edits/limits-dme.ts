import { limitReader } from './limits.ts'

export const reader = limitReader('DME Supplier Services')
