// Small papers of every form, with invented people, codes and amounts. Each holds the canaries wherever its form has room for a text.

/** What must never leave a reader: names, numbers of persons, birth days, addresses, diagnoses, notes. */
export const CANARIES = [
  'Zebulon',
  'Canary',
  '078051120',
  '1961-04-12',
  '19610412',
  '04/12/1961',
  'Larkspur',
  'Z9981',
  'feels unwell',
  'ZBC-77301',
  '5550147',
]

const PERSON = {
  name: [{ family: 'Canary', given: ['Zebulon'], text: 'Zebulon Canary' }],
  birthDate: '1961-04-12',
  address: [{ line: ['4217 Larkspur Hollow'] }],
  telecom: [{ value: '2125550147' }],
}
const HIDDEN = {
  id: 'ZBC-77301',
  text: { status: 'generated', div: '<div>Zebulon Canary, 04/12/1961</div>' },
  identifier: [{ system: 'urn:member', value: '078051120' }],
  patient: { reference: 'Patient/078051120', display: 'Zebulon Canary' },
  insurance: [{ coverage: { display: 'Zebulon Canary ZBC-77301' } }],
  diagnosis: [
    { diagnosisCodeableConcept: { coding: [{ code: 'Z9981', display: 'Canary syndrome' }], text: 'feels unwell' } },
  ],
  note: [{ text: 'Zebulon feels unwell' }],
  processNote: [{ text: 'Canary' }],
  extension: [{ url: 'urn:ssn', valueString: '078051120' }],
}

const coded = (code: string, system = 'http://www.ama-assn.org/go/cpt') => ({
  coding: [{ system, code, display: 'Zebulon Canary' }],
  text: 'Zebulon feels unwell',
})
const amount = (code: string, value: number, system = 'http://terminology.hl7.org/CodeSystem/adjudication') => ({
  category: { coding: [{ system, code }], text: 'Canary' },
  reason: coded('Z9981'),
  amount: { value, currency: 'USD' },
})

type Item = Record<string, unknown>
export const anItem = (changes: Item = {}): Item => ({
  sequence: 1,
  id: 'ZBC-77301',
  productOrService: coded('99213'),
  modifier: [coded('25')],
  servicedDate: '2026-05-14',
  locationCodeableConcept: coded(
    '11',
    'https://www.cms.gov/Medicare/Coding/place-of-service-codes/Place_of_Service_Code_Set',
  ),
  locationAddress: { line: ['4217 Larkspur Hollow'] },
  quantity: { value: 1, unit: 'Zebulon' },
  adjudication: [amount('submitted', 300), amount('eligible', 95.19), amount('memberliability', 19.04)],
  noteNumber: [1],
  ...changes,
})

/** A statement of benefits (FHIR R4, CARIN). */
export const anEob = (changes: Item = {}): Item => ({
  resourceType: 'ExplanationOfBenefit',
  ...HIDDEN,
  contained: [{ resourceType: 'Patient', ...HIDDEN, ...PERSON }],
  status: 'active',
  use: 'claim',
  outcome: 'complete',
  type: coded('professional', 'http://terminology.hl7.org/CodeSystem/claim-type'),
  billablePeriod: { start: '2026-05-14', end: '2026-05-14' },
  provider: { display: 'Dr. Canary', identifier: { system: 'http://hl7.org/fhir/sid/us-npi', value: '1234567893' } },
  item: [anItem()],
  total: [amount('submitted', 300)],
  ...changes,
})

const SENDER =
  'ISA*00*          *00*          *ZZ*CANARY         *ZZ*ZEBULON        *260514*1200*^*00501*000000001*0*T*:~'
const PATIENT =
  'NM1*IL*1*CANARY*ZEBULON****MI*078051120~N3*4217 LARKSPUR HOLLOW~N4*ATLANTA*GA*30322~DMG*D8*19610412*M~REF*SY*078051120~'

/** A bill of a hospital (X12 837I). */
export const an837 = (lines: string, { total = '2487', type = '13:A:1', envelope = SENDER } = {}): string =>
  `${envelope}GS*HC*A*B*20260514*1200*1*X*005010X223A2~ST*837*0001*005010X223A2~BHT*0019*00*1*20260514*1200*CH~NM1*41*2*CANARY*****46*078051120~HL*1**20*1~NM1*85*2*CANARY HOSPITAL*****XX*1234567893~HL*2*1*22*0~SBR*P*18*ZBC-77301******CI~${PATIENT}CLM*ZBC-77301*${total}***${type}*Y*A*Y*Y~DTP*434*RD8*20260514-20260514~REF*EA*ZBC-77301~NTE*ADD*ZEBULON FEELS UNWELL~HI*ABK:Z9981~${lines}SE*20*0001~GE*1*1~IEA*1*000000001~`
export const LINES_837 =
  'LX*1~SV2*0450*HC:99284:25*2187*UN*1~DTP*472*D8*20260514~LX*2~SV2*0300*HC:36415*300*UN*2~DTP*472*D8*20260514~REF*6R*ZBC-77301~'

/** What an insurer paid (X12 835). */
export const an835 = (claims: string, paid = '76.15'): string =>
  `${SENDER}GS*HP*A*B*20260601*1200*1*X*005010X221A1~ST*835*0001~BPR*I*${paid}*C*CHK************20260601~TRN*1*ZBC-77301*1078051120~N1*PR*CANARY INSURANCE~N3*4217 LARKSPUR HOLLOW~PER*BL*ZEBULON*TE*2125550147~N1*PE*CANARY CLINIC*XX*1234567893~LX*1~${claims}SE*20*0001~GE*1*1~IEA*1*000000001~`
export const A_CLAIM_835 =
  'CLP*ZBC-77301*1*300*76.15*19.04*12*078051120*11*1~NM1*QC*1*CANARY*ZEBULON****MI*078051120~DTM*232*20260514~SVC*HC:99213:25*300*76.15**1~DTM*472*20260514~CAS*CO*45*204.81~CAS*PR*2*19.04~AMT*B6*95.19~LQ*HE*Z9981~'

export const A_CSV = [
  'Patient,DOB,Member ID,Date of Service,Rev Code,CPT/HCPCS,Modifiers,Description,Units,Total Charges,Diagnosis,Notes',
  'Zebulon Canary,04/12/1961,078051120,5/14/2026,450,99284,25,Visit of Zebulon,1,"$2,187.00",Z9981,feels unwell',
  'Zebulon Canary,04/12/1961,078051120,5/14/2026,0300,36415,,Drawing,2,300.00,Z9981,feels unwell',
].join('\n')

export const A_MEDICARE_TEXT = `Name: ZEBULON CANARY
Date of Birth: 04/12/1961
Address Line 1: 4217 Larkspur Hollow
Claim Number: 078051120
Provider: Canary Clinic
Service Start Date: 05/14/2026
Amount Charged: $300.00
Medicare Approved: $95.19
You May be Billed: $19.04
Claim Type: PartB
Diagnosis Code 1: Z9981
Claim Lines for Claim Number: 078051120
Line number:  1
Date of Service From:  05/14/2026
Date of Service To:  05/14/2026
Procedure Code/Description:  99213 - Visit of Zebulon Canary
Modifier 1/Description:  25 - feels unwell
Quantity Billed/Units:  1
Submitted Amount/Charges:  $300.00
Allowed Amount:  $95.19
Place of Service/Description:  11 - Larkspur
Rendering Provider NPI:  078051120
`

export const A_COPIED_TEXT = `Canary Hospital
Patient: Zebulon Canary   DOB: 04/12/1961
4217 Larkspur Hollow, Atlanta GA 30322
Member ID 078051120   Account ZBC-77301

Date         Rev    Code       Description            Units   Charges
05/14/2026   0450   99284-25   Visit, feels unwell    1       $2,187.00
05/14/2026   0300   36415      Drawing                2       $300.00

TOTAL CHARGES: $2,487.00
Diagnosis: Z9981 Canary syndrome
`
