import type { Basis } from '../proof/price/row.ts'

/** A publisher's series of price lists. Every word about it is ours: nothing is taken from a source file. */
export interface Chart {
  chart: string
  kind: 'cms_pfs' | 'cms_clfs' | 'cms_opps' | 'hospital_mrf'
  publisher: string
  title: string
  bases: readonly Basis[]
}

const CMS = 'Centers for Medicare & Medicaid Services'

/** The national schedules, in the order in which a lookup without a provider searches them. */
const SCHEDULES: readonly Chart[] = [
  {
    chart: 'cms-pfs',
    kind: 'cms_pfs',
    publisher: CMS,
    title: 'Medicare Physician Fee Schedule',
    bases: ['medicare_pfs'],
  },
  {
    chart: 'cms-clfs',
    kind: 'cms_clfs',
    publisher: CMS,
    title: 'Medicare Clinical Laboratory Fee Schedule',
    bases: ['medicare_clfs'],
  },
  {
    chart: 'cms-opps',
    kind: 'cms_opps',
    publisher: CMS,
    title: 'Medicare Hospital Outpatient Prospective Payment System',
    bases: ['medicare_opps'],
  },
]
const HOSPITAL = 'hospital-mrf:'
/** In the order in which a lookup for a provider prefers them when no basis is asked for. */
export const HOSPITAL_BASES: readonly Basis[] = [
  'hospital_cash',
  'hospital_gross',
  'hospital_negotiated_low',
  'hospital_negotiated_high',
]

export const hospitalChart = (firstNpi: string): string => `${HOSPITAL}${firstNpi}`

export function chartOf(id: string): Chart | undefined {
  const schedule = SCHEDULES.find(({ chart }) => chart === id)
  if (schedule) return schedule
  const npi = id.startsWith(HOSPITAL) ? id.slice(HOSPITAL.length) : ''
  if (!/^[12][0-9]{9}$/.test(npi)) return undefined
  return {
    chart: id,
    kind: 'hospital_mrf',
    publisher: `Hospital with NPI ${npi}`,
    title: 'Hospital standard charges (45 CFR 180)',
    bases: HOSPITAL_BASES,
  }
}

/** The schedules to search, in order; one if a basis is asked for. */
export const schedulesFor = (basis: Basis | undefined): readonly Chart[] =>
  SCHEDULES.filter(({ bases }) => basis === undefined || bases.includes(basis))
