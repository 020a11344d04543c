import { physicianReader } from './physician.ts'

/** The schedule for qualifying APM participants: its files differ from the other ones in the conversion factor. */
export const reader = physicianReader('medicare_pfs_qpp')
