import { expect, test } from 'bun:test'
import { isPlaceOfService, isRevenueCode, sideOf } from './side.ts'

test('the kind of the bill goes first, then the revenue code, then the place of service', () => {
  expect(sideOf({ kind: 'hospital', revenue_code: '0960', place_of_service: '11' })).toEqual({
    kind: 'hospital',
    setting: 'outpatient',
    why: 'kind',
  })
  expect(sideOf({ revenue_code: '0450', place_of_service: '11' })).toEqual({
    kind: 'hospital',
    setting: 'outpatient',
    why: 'revenue_code',
  })
  expect(sideOf({ place_of_service: '11' })).toEqual({
    kind: 'professional',
    setting: 'non_facility',
    why: 'place_of_service',
  })
  expect([sideOf({}), sideOf({ kind: '', revenue_code: '', place_of_service: '' })]).toEqual([undefined, undefined])
})

test('the revenue codes 096x to 098x are professional fees, earned in the hospital; all others are the hospital', () => {
  const sides = ['0950', '0959', '0960', '0972', '0989', '0990', '0450', '3101'].map((revenue_code) => {
    const side = sideOf({ revenue_code })
    return `${side?.kind} ${side?.setting}`
  })
  const [hospital, professional] = ['hospital outpatient', 'professional facility']
  expect(sides).toEqual([hospital, hospital, professional, professional, professional, hospital, hospital, hospital])
  // The leading zero is often left out.
  expect([sideOf({ revenue_code: '450' }), sideOf({ revenue_code: '960' })]).toEqual([
    sideOf({ revenue_code: '0450' }),
    sideOf({ revenue_code: '0960' }),
  ])
})

test('a professional is paid at the facility rate in the places of the list, elsewhere at the rate of an office', () => {
  const facility = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0')).filter(
    (place_of_service) => sideOf({ place_of_service })?.setting === 'facility',
  )
  expect(facility.join(' ')).toBe('02 19 21 22 23 24 26 31 34 41 42 51 52 53 56 61')
  expect(sideOf({ kind: 'professional', place_of_service: '23' })).toEqual({
    kind: 'professional',
    setting: 'facility',
    why: 'kind',
  })
  // Where the bill does not say, the lookup tries an office first.
  expect(sideOf({ kind: 'professional' })?.setting).toBeUndefined()
})

test('a surgery center is paid by its own schedule, and equipment by the home', () => {
  expect(sideOf({ kind: 'surgery_center', place_of_service: '24' })?.setting).toBe('asc')
  expect(sideOf({ kind: 'equipment', place_of_service: '12' })).toEqual({
    kind: 'equipment',
    setting: undefined,
    why: 'kind',
  })
})

test('a place that is not on the list of CMS, and a revenue code of other digits, have no meaning', () => {
  expect(['00', '28', '36', '59', '100', '1', 'ER'].filter(isPlaceOfService)).toEqual([])
  expect(['45', '04500', '04A0', ' 450'].filter(isRevenueCode)).toEqual([])
})
