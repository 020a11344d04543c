import { z } from 'zod'
import { MOST_LOST } from '../../proof/price/lost-source.ts'
import { BILL_KINDS } from '../../tables/sides.ts'
import {
  Amount,
  AnswerRef,
  absence,
  Day,
  evidence,
  identity,
  Price,
  Proof,
  ProofRef,
  place,
  price,
  prolongedMember,
  ShownPlace,
  ShownRow,
  wholeRow,
} from './row-schema.ts'

// The wire form of answers: a row with what shows that it is the answer, pages, and the members of refusals.

export const Adjustment = z
  .strictObject({
    modifier: z.string(),
    rule: z.string(),
    factor: z.string(),
    part: Amount.optional().meta({ description: 'The amount of the part that alone is changed' }),
    amount: Amount,
  })
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
    description: 'Pointers without amounts to what else there is for this code',
  })
export const Available = z
  .strictObject({
    modifiers: z.array(z.string()),
    settings: z.array(z.string()),
    bases: z.array(z.string()),
    regions: z.array(z.string()),
    payers: z.array(z.string()).optional(),
  })
  .meta({ id: 'Available', description: 'What there is for this code on this day, in closed words' })

export const SideTaken = z
  .strictObject({ kind: z.enum(BILL_KINDS), why: z.enum(['kind', 'revenue_code', 'place_of_service']) })
  .optional()
  .meta({ description: 'Whose bill it was taken for, and which parameter said so' })
const Beside = z
  .array(
    z.strictObject({
      basis: z.string(),
      setting: z.string().nullable(),
      modifier: z.string().nullable(),
      amount: Amount,
      href: z.string(),
    }),
  )
  .max(3)
  .optional()
  .meta({
    id: 'Beside',
    description: 'What others are paid who bill for the same service; `href` has the row with its proof',
  })

export const toldOfModifiers = {
  modifiers_ignored: z.array(z.string()).optional().meta({ description: 'Modifiers that change no payment' }),
  left_to_bill: z
    .array(z.string())
    .optional()
    .meta({ description: 'Modifiers whose effect the other lines of the bill decide: the amount is without it' }),
  adjustment: Adjustment.optional(),
  listed_with: z.string().optional().meta({
    description: 'The modifier under which alone the hospital lists the code, and which says what any line of it is',
  }),
}
const told = { side: SideTaken, ...toldOfModifiers }
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
export const about = {
  sources_lost: LostSources.optional(),
}
const aboutMember = (members: z.ZodRawShape) =>
  z
    .strictObject(members)
    .optional()
    .meta({ description: 'What is not proved: the word of the service. A verifier does not look at it' })
/** Beside a list that has nothing to say but what became of its sources. */
export const AboutList = aboutMember(about)

export const PriceAnswer = z
  .strictObject({
    ...price,
    ...wholeRow,
    place: ShownPlace.optional(),
    ...told,
    about: aboutMember({ related: Related, beside: Beside, ...about }),
  })
  .meta({
    id: 'PriceAnswer',
    description:
      'A cited price with everything that proves it to be the answer. A Medicare amount is a reference, not what a patient owes.',
  })

const { derivation, indicators, locator, ...dated } = evidence
const pointed = {
  data_class: z.enum(['published', 'sample']),
  effective_to: Day,
  ...prolongedMember,
  proof: ProofRef,
}
const inShort = { ...dated, ...pointed }
const shortPrice = { kind: z.enum(['price', 'rate']), ...identity, price: Price, ...inShort }
export const ShortPrice = z.strictObject(shortPrice).meta({ id: 'ShortPrice' })
export const ShortRow = z
  .union([ShortPrice, z.strictObject({ kind: z.literal('absence'), ...identity, reason: absence.reason, ...inShort })])
  .meta({ id: 'ShortRow' })
export const ShortAnswer = z
  .strictObject({ ...shortPrice, ...told, beside: Beside, about: AboutList })
  .meta({ id: 'ShortPriceAnswer', description: 'The price in few words, with a pointer to its proof (`proof=ref`)' })

export { told as toldOfAnswer }

/** Members that many rows share, for the documents that describe them. */
export const sharedShapes = {
  PriceFields: { kind: price.kind, ...identity, price: Price, ...dated },
  AbsenceFields: { kind: absence.kind, ...identity, reason: absence.reason, ...dated },
  Evidence: { derivation, indicators, locator },
  ShortFields: pointed,
  PlaceFields: place,
}

const LeftOut = z
  .record(z.string(), z.int())
  .meta({ description: 'With `proof=ref`: how many entries of these lists are left out; `proof=full` has them' })

export const Charts = z
  .array(z.strictObject({ chart: z.string(), held: z.array(z.strictObject({ from: Day, to: Day })) }))
  .meta({ description: 'Charts without an edition for the day, and the periods that are held of each' })
export const Rule = z
  .string()
  .regex(/^R([1-9]|1[01])$/)
  .meta({ description: 'The step of the rule that says so, as docs/spec/lookup.md numbers them' })

export const AboutRefusal = aboutMember({
  available: Available.optional(),
  choices: z
    .array(z.strictObject({ region: z.string(), href: z.string() }))
    .optional()
    .meta({ description: 'The localities to choose from; no amounts, as nothing unproved stands in an answer' }),
  left_out: LeftOut.optional(),
})

/** Members of the refusal of a lookup, beside those of every refusal. */
export const lookupProblemMembers = {
  side: SideTaken,
  rule: Rule,
  row: z.union([ShownRow, ShortRow]),
  place: ShownPlace,
  charts: Charts,
  last_known: z.union([ShownRow, ShortRow]),
  proof: z.union([Proof, AnswerRef]),
  about: AboutRefusal,
}
