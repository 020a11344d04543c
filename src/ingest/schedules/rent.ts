/** Rent is for a month; for a continuous passive motion device for a day (Claims Processing Manual 20, 30.2.1). */
export function perOf(cpt: string, modifiers: readonly string[]): 'MONTH' | 'DAY' | null {
  if (!modifiers.includes('RR')) return null
  return cpt === 'E0935' ? 'DAY' : 'MONTH'
}
