// Whether the price of a row, or its reason to have none, follows from the inputs that it states.

import { aFee, aPlace, aRow } from '../../src/proof/registry-fixture.ts'
import { changed, membersIn } from './operators.ts'
import { all, type Line, tableOf, vectorsOf } from './table.ts'

type Inputs = Record<string, string>

/** The inputs of 99213 in the worked example of row.md. */
const FEE: Inputs = {
  ...{ work_rvu: '1.30', practice_rvu: '1.46', malpractice_rvu: '0.09', conversion_factor: '33.4009' },
  ...{ work_gpci: '1.000', practice_gpci: '1.000', malpractice_gpci: '1.000' },
}
const CALIFORNIA = 'work_gpci=1.083 practice_gpci=1.331 malpractice_gpci=0.467 work_gpci_column=with_floor'

/**
 * A row by two cells of a table: `<basis> <method> <input>=<text>…`, and the price (`<amount>` or `<low>..<high>`) or the
 * reason, with the flags after it. The formula has the inputs above but where others are said; `<input>=` leaves one out.
 * After `local` it is that of a locality in California.
 */
function rowOf(from: string, result: string): object {
  const [basis = '', method = '', ...said] = from.replace(/\blocal\b/, CALIFORNIA).split(' ')
  const [stated = '', ...flags] = result.split(' ')
  const [low, high] = stated.split('..')
  const defaults = method === 'pfs-formula' && basis.startsWith('medicare_pfs') ? FEE : {}
  const inputs = Object.fromEntries(
    Object.entries({ ...defaults, ...Object.fromEntries(said.map((input) => input.split('='))) }).filter(
      ([, text]) => text,
    ),
  )
  const derivation = { method: method.includes('/') ? method : `${method}/1`, inputs }
  const members = { code: '99213', basis, derivation, flags, indicators: {} }
  if (/^[a-z_]+$/.test(stated)) return aRow({ ...members, kind: 'absence', reason: stated })
  const region = from.includes(' local') ? 'US-CA-05' : 'national'
  if (defaults === FEE) return aFee({ ...members, amount: stated, region })
  const price = { ...(high === undefined ? { amount: low } : { low, high }), currency: 'USD', per: null }
  return aRow({ ...members, kind: basis === 'medicare_anesthesia' ? 'rate' : 'price', price })
}

const Z = '0'.repeat(20)
const ONES = '1'.repeat(21)
const MEDICARE = 'medicare_clfs medicare_opps medicare_asc medicare_asp medicare_dmepos medicare_anesthesia'
const WORK = 'practice_rvu=0 malpractice_rvu=0 work_rvu'
/** 70450 of row.md, whose fee is 112.90. */
const CT = 'work_rvu=0.86 practice_rvu=2.46 malpractice_rvu=0.06 opps_practice_rvu'

/** Name, row, price or reason and flags, members set. */
const TABLE = `
= {}
a national fee | medicare_pfs pfs-formula | 95.19
a fee in a locality | medicare_pfs pfs-formula local | 113.34
a fee in a locality, without the floor | medicare_pfs pfs-formula local work_gpci_column=without_floor | 113.34
an index without decimals in a locality | medicare_pfs pfs-formula local work_gpci=1 | 109.73
a fee of a qualifying participant | medicare_pfs_qpp pfs-formula conversion_factor_kind=qualifying_apm | 95.19
the other factor of the year | medicare_pfs pfs-formula conversion_factor_kind=non_qualifying_apm | 95.19
a fee under its cap | medicare_pfs pfs-formula ${CT}=1.84 opps_malpractice_rvu=0.05 | 91.85 opps_cap
a cap without malpractice | medicare_pfs pfs-formula ${CT}=1.84 opps_malpractice_rvu=0 | 90.18 opps_cap
a cap above the fee | medicare_pfs pfs-formula ${CT}=9.00 opps_malpractice_rvu=0.05 | 112.90
a cap equal to the fee | medicare_pfs pfs-formula ${CT}=2.46 opps_malpractice_rvu=0.06 | 112.90
a cap that is lower, and the same once rounded | medicare_pfs pfs-formula practice_rvu=1.45 conversion_factor=0.1 opps_practice_rvu=1.44 opps_malpractice_rvu=0.09 | 0.28
half a cent, rounded up | medicare_pfs pfs-formula ${WORK}=1.00 conversion_factor=33.405 | 33.41
just below half a cent, rounded down | medicare_pfs pfs-formula ${WORK}=1.00 conversion_factor=33.4049 | 33.40
a sum that binary fractions get wrong | medicare_pfs pfs-formula ${WORK}=0.15 conversion_factor=6.7 | 1.01
a fee of one cent | medicare_pfs pfs-formula ${WORK}=0.01 conversion_factor=0.5 | 0.01
a fee of many digits | medicare_pfs pfs-formula ${WORK}=999999.99 conversion_factor=9999.9999 | 9999999800.00
values without decimals | medicare_pfs pfs-formula ${WORK}=1 conversion_factor=33 | 33.00
what is found in files of hospitals, on a fee | medicare_pfs pfs-formula | 95.19 partial
as stated, | hospital_cash verbatim amount=$1 | $2 | for 00010.56:10.56 10.5600:10.56 6.4970:6.497 0.0001:0.0001 120:120.00 120.:120.00 ${Z}123456789:123456789.00 120.5${'0'.repeat(19)}:120.50
as stated, on | $1 verbatim rate=10.56 | 10.56 | for ${MEDICARE} hospital_gross
rounded, | hospital_cash rounded amount=$1 | $2 | for 140.205001:140.21 140.20499:140.20 9.99999:10.00 22.0549999:22.05 22.05500001:22.06 0.00500001:0.01
rounded, on | $1 rounded rate=10.55999 | 10.56 | for medicare_opps medicare_anesthesia hospital_gross
the least rate, | hospital_negotiated_low least-rate amount=$1 | $2 | for 99.5:99.50 99.123456:99.12
the greatest rate | hospital_negotiated_high greatest-rate amount=210 | 210.00
a range | hospital_cash range low=80 high=140.5 | 80.00..140.50
a range, one end rounded | hospital_cash range low=80.123456 high=140.5 | 80.12..140.50
a range whose ends are in order as numbers alone | hospital_cash range low=9.5 high=10 | 9.50..10.00
marks of the publisher | medicare_asp verbatim rate=6.497 | 6.497 amp_based lesser_of hiv_prep inflation_adjusted_coinsurance
more marks of the publisher | medicare_asp verbatim rate=6.497 | 6.497 reference_biological_add_on see_publisher_page
what was found in the file of a hospital | hospital_cash range low=80 high=140.5 | 80.00..140.50 partial code_restored mixed_units rate_outside_range
status | medicare_pfs cms-status status_code=$1 | $2 | for B:bundled P:bundled C:carrier_priced N:not_covered E:paid_elsewhere X:paid_elsewhere I:not_valid J:anesthesia M:no_price_stated
outpatient status | medicare_opps opps-status status_indicator=$1 | $2 | for N:bundled Q1:conditionally_packaged Q2:conditionally_packaged Q3:conditionally_packaged Q4:conditionally_packaged A:paid_elsewhere F:paid_elsewhere L:paid_elsewhere Y:paid_elsewhere C:inpatient_only E1:not_covered B:not_valid D:not_valid M:not_valid E2:no_price_stated S:no_price_stated
surgery center indicator | medicare_asc asc-indicator payment_indicator=$1 | $2 | for N1:bundled L1:bundled D1:bundled H7:carrier_priced J7:carrier_priced K7:carrier_priced F4:paid_elsewhere M6:paid_elsewhere B5:not_valid D5:not_valid U5:not_valid X5:not_valid C5:inpatient_only E5:not_covered Y5:not_covered K5:no_price_stated L6:no_price_stated
rule | hospital_cash row-rule rule=$1 | $2 | for R08_min_max:withheld_conflict R10:withheld_conflict R02:unreadable R03:unreadable R14:unreadable
a rule on | $1 row-rule rule=R02 | unreadable | for medicare_pfs_qpp medicare_clfs medicare_dmepos medicare_anesthesia
not applicable in a setting | medicare_pfs pfs-na na_indicator=NA | not_applicable_in_setting
a laboratory line priced locally | medicare_clfs clfs-indicator indicator=L | carrier_priced
a laboratory rate of | medicare_clfs no-amount rate=$1 | no_price_stated | for blank NA 0 00000.00 ${Z} 0.${Z}
a drug without a limit | medicare_asp no-amount rate=NA | no_price_stated
a charge of a hospital without an amount | hospital_negotiated_low no-amount rate=blank | no_price_stated
equipment of | medicare_dmepos dmepos-blank non_rural=$1 rural=$2 | no_price_stated | for blank:blank blank:0 0.00:NA
a fee with its proof, which is not looked at | medicare_pfs pfs-formula | 95.19 | proof={"type":"any"}
a unit that could not be read | hospital_cash verbatim amount=9 | 9.00 unit_unparsed | price.per="1 UNIT"
a unit that could be read | hospital_cash verbatim amount=9 | 9.00 | price.per="1 UNIT"
far from Medicare | hospital_cash verbatim amount=9 | 9.00 far_from_medicare | indicators={"compared_release":"cms-pfs:2026C:1","compared_amount":"95.19"}
= inputs_malformed
a row without | medicare_pfs pfs-formula | 95.19 | $1= | for kind basis region flags indicators price derivation
an absence that says that it is a price | medicare_pfs cms-status status_code=B | bundled | kind="price"
a fee without | medicare_pfs pfs-formula $1= | 95.19 | for ${Object.keys(FEE).join(' ')}
a fee with | medicare_pfs pfs-formula $1 | 95.19 | for discount=0.10 work_rvu=1.300 work_rvu=1000000 work_rvu=-1.30 work_gpci=1.083 work_gpci_column=with_floor conversion_factor=33.40090 conversion_factor_kind=apm opps_practice_rvu=1.00 opps_malpractice_rvu=0.05
a fee in a locality with | medicare_pfs pfs-formula local $1 | 113.34 | for work_gpci=10 work_gpci=1.0830 work_gpci_column= work_gpci_column=floor
a cap of zero | medicare_pfs pfs-formula ${CT}=0.00 opps_malpractice_rvu=0.05 | 30.40 opps_cap
a fee of zero relative values | medicare_pfs pfs-formula ${WORK}=0.00 | 33.00
as stated, | hospital_cash verbatim amount=$1 | 1.00 | for 0.00 1.00001 1000000000.00 1,200.00 -1.00 1e2 .50 1.${Z}0
rounded, | hospital_cash rounded amount=$1 | 1.01 | for 1.0050 22.054900 0.00499 1.${ONES}
as stated, of | hospital_cash verbatim $1 | 1.00 | for price=1.00 rate=
as stated, of rate and amount | hospital_cash verbatim rate=1.00 amount=1.00 | 1.00
the least rate as a rate | hospital_negotiated_low least-rate rate=99.5 | 99.50
a range the wrong way round | hospital_cash range low=2.00 high=1.00 | 1.00..2.00
a range with equal ends once rounded | hospital_cash range low=1.00 high=1.000001 | 1.00..1.01
a range with one end | hospital_cash range low=1.00 | 1.00..2.00
a laboratory rate that says | medicare_clfs no-amount rate=$1 | no_price_stated | for 0. .00 -0 Blank na 0.01 0${Z} 0.0${Z}
equipment that says | medicare_dmepos dmepos-blank non_rural=$1 rural=$2 | no_price_stated | for 0.01:blank blank:0.01 0.:0
equipment with one cell | medicare_dmepos dmepos-blank non_rural=blank | no_price_stated
equipment with three cells | medicare_dmepos dmepos-blank non_rural=blank rural=blank super_rural=blank | no_price_stated
status | medicare_pfs cms-status status_code=$1 | bundled | for 1 b
outpatient status | medicare_opps opps-status status_indicator=$1 | bundled | for Q11 n
surgery center indicator | medicare_asc asc-indicator payment_indicator=$1 | bundled | for N N11
rule | hospital_cash row-rule rule=$1 | unreadable | for R05 R08
another laboratory indicator, | medicare_clfs clfs-indicator indicator=$1 | carrier_priced | for N l
not quite NA, | medicare_pfs pfs-na na_indicator=$1 | not_applicable_in_setting | for N na
another input of an absence | medicare_clfs no-amount limit=0 | no_price_stated
an input too many in an absence | medicare_pfs cms-status status_code=B note=x | bundled
an absence without inputs | medicare_pfs cms-status | bundled
= unknown_method
a fee by | medicare_pfs $1 | 95.19 | for average pfs-formula/2 pfs-formula/10 cms-status verbatim constructor
a method for prices on an absence | medicare_clfs verbatim rate=1.00 | bundled
the formula on a stated rate | medicare_clfs pfs-formula | 95.19
rounded, on | $1 rounded rate=22.05499 | 22.05 | for medicare_pfs medicare_pfs_qpp medicare_clfs medicare_asc medicare_asp medicare_dmepos
the least of several factors | medicare_anesthesia least-rate amount=22.05 | 22.05
a range on a schedule | medicare_opps range low=1.00 high=2.00 | 1.00..2.00
no amount on | $1 no-amount rate=0 | no_price_stated | for medicare_pfs medicare_opps medicare_asc medicare_dmepos hospital_cash hospital_gross hospital_negotiated_high
an outpatient status on the physician schedule | medicare_pfs opps-status status_indicator=N | bundled
the cells of equipment for a drug | medicare_asp dmepos-blank non_rural=blank rural=blank | no_price_stated
the cells of equipment as a price | medicare_dmepos dmepos-blank non_rural=blank rural=blank | 1.00
= price_mismatch
a cent too much | medicare_pfs pfs-formula | 95.20
half a cent rounded down | medicare_pfs pfs-formula ${WORK}=1.00 conversion_factor=33.405 | 33.40
half a cent rounded to the even cent | medicare_pfs pfs-formula ${WORK}=1.00 conversion_factor=33.445 | 33.44
a fee rounded term by term | medicare_pfs pfs-formula work_rvu=0.01 practice_rvu=0.01 malpractice_rvu=0.01 conversion_factor=0.5 | 0.03
a fee that comes to nothing | medicare_pfs pfs-formula ${WORK}=0.01 conversion_factor=0.0001 | 0.01
a fee above its cap | medicare_pfs pfs-formula ${CT}=1.84 opps_malpractice_rvu=0.05 | 112.90
a range where an amount follows | hospital_cash verbatim amount=1.00 | 1.00..2.00
an amount where a range follows | hospital_cash range low=1.00 high=2.00 | 1.00
as stated, | hospital_cash verbatim amount=$1 | $2 | for 10.57:10.56 10.561:10.56 1.00:10.00
rounded, | hospital_cash rounded amount=$1 | $2 | for 140.20999:140.20 22.05999:22.05
a range, | hospital_cash range low=80 high=140.5 | $1 | for 80.00..140.51 79.99..140.50
the least rate, changed | hospital_negotiated_low least-rate amount=99.5 | 99.51
the greatest rate, changed | hospital_negotiated_high greatest-rate amount=99.5 | 99.49
= reason_mismatch
status | medicare_pfs cms-status status_code=$1 | $2 | for B:not_covered E:not_covered M:carrier_priced
outpatient status | medicare_opps opps-status status_indicator=$1 | $2 | for N:conditionally_packaged Q1:bundled
surgery center indicator | medicare_asc asc-indicator payment_indicator=$1 | $2 | for N1:not_covered
rule | hospital_cash row-rule rule=$1 | $2 | for R10:unreadable
another reason for what is not applicable | medicare_pfs pfs-na na_indicator=NA | not_covered
another reason for a laboratory line | medicare_clfs clfs-indicator indicator=L | bundled
another reason for a drug | medicare_asp no-amount rate=NA | not_covered
another reason for equipment | medicare_dmepos dmepos-blank non_rural=blank rural=blank | not_covered
= flags_mismatch
a cap without its flag | medicare_pfs pfs-formula ${CT}=1.84 opps_malpractice_rvu=0.05 | 91.85
a flag of a cap that equals the fee | medicare_pfs pfs-formula ${CT}=2.46 opps_malpractice_rvu=0.06 | 112.90 opps_cap
a flag twice | medicare_pfs pfs-formula ${CT}=1.84 opps_malpractice_rvu=0.05 | 91.85 opps_cap opps_cap
a mark twice | medicare_pfs pfs-formula | 95.19 partial partial
a fee with the flag | medicare_pfs pfs-formula | 95.19 $1 | for opps_cap discount na_indicator constructor unit_unparsed far_from_medicare
an unread unit that could be read | hospital_cash verbatim amount=9 | 9.00 unit_unparsed | price.per="10 MG"
compared with Medicare, and no flag | hospital_cash verbatim amount=9 | 9.00 | indicators={"compared_release":"cms-pfs:2026C:1","compared_amount":"95.19"}
a flag on an absence | medicare_pfs cms-status status_code=B | bundled partial
`

/** Values that are no row of a table. */
const OTHERS: Record<string, unknown> = {
  'a place': aPlace('60611', 'US-IL-16'),
  'what is not a row': { kind: 'price' },
  'a list': [rowOf('medicare_pfs pfs-formula', '95.19')],
  null: null,
}
const lines = tableOf(TABLE).map(([name, [from = '', result = '', set = ''], expected]): Line<unknown> => {
  const row = rowOf(from, result)
  return [name, set === '' ? row : changed(row, membersIn(set)), expected]
})
export const derivations = vectorsOf('derivation', [...lines, ...all('inputs_malformed', OTHERS)], (row) => ({
  row: JSON.stringify(row),
}))
