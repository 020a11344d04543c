import { limitReader } from './limits.ts'

export const reader = limitReader('Outpatient Hospital Services')
