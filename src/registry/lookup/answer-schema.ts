import { z } from 'zod'
import { MOST_LOST } from '../../proof/price/lost-source.ts'
import { PAGE_PROOF, PROOF_REF, RANGE_PROOF, SET_PROOF } from '../../proof/price/proofs.ts'
import {
  AbsenceProof,
  Amount,
  absence,
  BareRow,
  CitedRow,
  Day,
  evidence,
  Hash,
  Index,
  identity,
  LogProof,
  Manifest,
  neighbour,
  Path,
  PeriodProof,
  PlaceRow,
  Price,
  ProviderProof,
  place,
  price,
  RowProof,
  State,
} from './row-schema.ts'

// The wire form of answers: a row with what shows that it is the answer, pages, and the members of refusals.

export const SharedRelease = z.strictObject({ release: Manifest, in_force: PeriodProof }).meta({
  id: 'SharedRelease',
  'x-spec': 'proof.md',
  description: 'A release and its period; state and log stand once in the same answer',
})

const because = {
  rows: z.array(z.strictObject({ ...neighbour, release: Index.nullable() })),
  periods: z.array(PeriodProof),
  providers: z.array(ProviderProof),
}
export const Because = z
  .strictObject({ releases: z.array(SharedRelease), ...because, state: State.optional(), log: LogProof.optional() })
  .meta({
    id: 'Because',
    'x-spec': 'proof.md',
    description:
      'What shows that this is the first choice: the rows, or the gaps between rows, of the choices before it',
  })

export const Adjustment = z
  .strictObject({ modifier: z.string(), rule: z.string(), factor: z.string(), amount: Amount })
  .meta({ id: 'Adjustment', description: 'The amount with a modifier that changes it by a fixed rule' })
export const Related = z
  .array(
    z.strictObject({
      basis: z.string(),
      setting: z.string().nullable(),
      class: z.string().nullable(),
      modifier: z.string().nullable(),
      href: z.string(),
    }),
  )
  .max(8)
  .meta({
    id: 'Related',
    description: 'Pointers without amounts to what else there is for this code; not part of the proof',
  })
export const Available = z
  .strictObject({
    modifiers: z.array(z.string()),
    settings: z.array(z.string()),
    bases: z.array(z.string()),
    regions: z.array(z.string()),
  })
  .meta({ id: 'Available', description: 'What there is for this code on this day, in closed words' })

const told = {
  modifiers_ignored: z.array(z.string()).optional().meta({ description: 'Modifiers that change no payment' }),
  adjustment: Adjustment.optional(),
}
export const LostSources = z
  .array(
    z.strictObject({
      release_id: z.string(),
      sha256: z.string().meta({ description: 'Which citation of the release it is' }),
      state: z.enum(['changed', 'gone']),
      since: z.iso.datetime(),
    }),
  )
  .max(MOST_LOST)
  .meta({
    id: 'LostSources',
    description:
      'Cited files that are changed or gone at their address, and of which the service has no copy; not part of the proof',
  })
export const PriceAnswer = z
  .strictObject({
    ...price,
    proof: RowProof,
    because: Because.optional(),
    place: PlaceRow.optional(),
    ...told,
    related: Related,
    sources_lost: LostSources.optional(),
  })
  .meta({
    id: 'PriceAnswer',
    description:
      'A cited price with everything that proves it to be the answer. A Medicare amount is a reference, not what a patient owes.',
  })

export const ProofRef = z
  .strictObject({ type: z.literal(PROOF_REF), release_id: z.string(), index: Index, leaf_hash: Hash, href: z.string() })
  .meta({ id: 'ProofRef', description: 'Where the whole proof is; the leaf hash binds the row to it' })
const { derivation, indicators, locator, ...dated } = evidence
const pointed = { data_class: z.enum(['published', 'sample']), effective_to: Day, proof: ProofRef }
const inShort = { ...dated, ...pointed }
const shortPrice = { kind: z.enum(['price', 'rate']), ...identity, price: Price, ...inShort }
export const ShortPrice = z.strictObject(shortPrice).meta({ id: 'ShortPrice' })
export const ShortRow = z
  .union([ShortPrice, z.strictObject({ kind: z.literal('absence'), ...identity, reason: absence.reason, ...inShort })])
  .meta({ id: 'ShortRow' })
export const ShortAnswer = z
  .strictObject({ ...shortPrice, ...told, sources_lost: LostSources.optional() })
  .meta({ id: 'ShortPriceAnswer', description: 'The price in few words, with a pointer to its proof (`proof=ref`)' })

export const shared = { releases: z.array(SharedRelease), state: State, log: LogProof }
const PageProof = z
  .strictObject({ type: z.literal(PAGE_PROOF), proof: Index, index: Index, leaf_hash: Hash })
  .meta({ id: 'PageProof', description: 'In which run of neighbouring rows of the page the row stands' })
export const PageRow = z.union([
  z.strictObject({ ...price, proof: PageProof }),
  z.strictObject({ ...absence, proof: PageProof }),
  z.strictObject({ ...place, proof: PageProof }),
])
export const PageRange = z
  .strictObject({ type: z.literal(RANGE_PROOF), release: Index, from: Index, left_path: Path, right_path: Path })
  .meta({
    id: 'PageRange',
    'x-spec': 'proof.md',
    description: 'A run of neighbouring rows of a release, proved at once',
  })

const SetProof = z.strictObject({ release: Index, index: Index }).meta({
  id: 'SetProof',
  description:
    'The row is one of those that this answer shows of a release in `releases`: all of them are proved at once',
})
export const SetPrice = z.strictObject({ ...price, proof: SetProof })
export const SetRow = z.union([SetPrice, z.strictObject({ ...absence, proof: SetProof })])
export const SetPlace = z.strictObject({ ...place, proof: SetProof })
export const SetBecause = z
  .strictObject({
    rows: z.array(
      z.strictObject({
        row: z.union([BareRow, z.record(z.string(), z.unknown())]).meta({
          description: 'A row; with `like` only the members that differ from the row at that place of the release',
        }),
        index: Index,
        release: Index,
        like: Index.optional(),
      }),
    ),
    periods: z.array(PeriodProof).optional(),
    providers: z.array(ProviderProof).optional(),
  })
  .meta({
    id: 'SetBecause',
    'x-spec': 'proof.md',
    description: 'What shows that this is the first choice, or everything there is',
  })
const SetRelease = z
  .strictObject({
    type: z.literal(SET_PROOF),
    release: Manifest,
    in_force: PeriodProof,
    hashes: z.string().meta({
      description: 'Base64 of the hashes that with the rows shown of this release make its root, from left to right',
    }),
  })
  .meta({
    id: 'SetRelease',
    'x-spec': 'proof.md',
    description: 'A release, its period, and the proof of all rows that this answer shows of it',
  })
export const setShared = { releases: z.array(SetRelease), state: State, log: LogProof }
export { told as toldOfModifiers }

/** Members that many rows share, for the documents that describe them. */
export const sharedShapes = {
  PriceFields: { kind: price.kind, ...identity, price: Price, ...dated },
  AbsenceFields: { kind: absence.kind, ...identity, reason: absence.reason, ...dated },
  Evidence: { derivation, indicators, locator },
  ShortFields: pointed,
  PlaceFields: place,
  SetParts: setShared,
}

export const LeftOut = z
  .record(z.string(), z.int())
  .meta({ description: 'With `proof=ref`: how many entries of these lists are left out; `proof=full` has them' })

/** Members of the refusal of a lookup, beside those of every refusal. */
export const lookupProblemMembers = {
  row: z.union([CitedRow, ShortRow]),
  absence: z.array(AbsenceProof),
  because: Because,
  place: PlaceRow,
  charts: z
    .array(z.strictObject({ chart: z.string(), held: z.array(z.strictObject({ from: Day, to: Day })) }))
    .meta({ description: 'Charts without an edition for the day, and the periods that are held of each' }),
  choices: z
    .array(z.strictObject({ region: z.string(), href: z.string() }))
    .meta({ description: 'The localities to choose from; no amounts, as nothing unproved stands in an answer' }),
  last_known: z.union([CitedRow, ShortRow]),
  available: Available,
  left_out: LeftOut,
}
