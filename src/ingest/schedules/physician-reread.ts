import type { Row } from '../../proof/price/row.ts'
import { byLine, fail, isOneOf, perSource, type Reread, whole } from '../reread.ts'
import type { Source } from '../source.ts'
import { type Locality, NATIONAL, readGpci } from './gpci.ts'
import {
  CONVERSION_FACTOR_KINDS,
  type ConversionFactorKind,
  factorKind,
  namedKind,
  PHYSICIAN_CHARTS,
  type PhysicianBasis,
  saidEdition,
} from './physician-edition.ts'
import { type PhysicianLine, physicianLines } from './physician-lines.ts'
import { rowsOfLine } from './physician-rows.ts'

/** Checks that the relative value line, and for a locality its line of indices, makes the same row again, byte for byte. */
export function rereadPhysician(): Reread {
  const lines = perSource((source) => byLine<PhysicianLine>(physicianLines(whole(source), new Map())))
  const localities = perSource((source) => byLine<Locality>(readGpci(whole(source))))
  const named = perSource((source: Source) => ({ kind: namedKind(source), year: saidEdition(source).year }))
  // Sources under the name that the release cites: a copy may have another one.
  const asCited = new Map<string, Source>()
  return (row, [rvus, gpci]) => {
    const line = rvus && lines(rvus.source).get(rvus.line)
    if (!line) return fail('line_not_found')
    if (row.region !== NATIONAL.region && !gpci) return fail('inputs_not_at_line')
    // A line that another one contradicts is cited together with that one.
    const place = gpci && row.region !== NATIONAL.region ? localities(gpci.source).get(gpci.line) : NATIONAL
    if (!place) return fail('line_not_found')
    const key = `${rvus.source.sha256} ${rvus.file}`
    const cited = asCited.get(key) ?? { ...whole(rvus.source), file: rvus.file }
    asCited.set(key, cited)
    const { effective_from } = row
    const basis = row.basis as PhysicianBasis
    const kinds = kindsOf(row, line, named(cited))
    if (kinds.some((kind) => kind !== undefined && kind !== PHYSICIAN_CHARTS[basis].kind))
      return fail('inputs_not_at_line')
    return isOneOf(
      row,
      kinds.flatMap((conversion_factor_kind) =>
        rowsOfLine(line, place, { basis, effective_from, conversion_factor_kind }),
      ),
    )
  }
}

/** The conversion factors that the file may be for: the one that it names, or else the one that the release names. */
function kindsOf(
  row: Row,
  line: PhysicianLine,
  said: { kind: ConversionFactorKind | undefined; year: number | undefined },
): (ConversionFactorKind | undefined)[] {
  const kind = line.refused ? undefined : factorKind(line.conversionFactor, said.year, said.kind)
  const stated = CONVERSION_FACTOR_KINDS.find((each) => each === row.derivation.inputs['conversion_factor_kind'])
  return kind === undefined ? [stated] : [kind, said.kind]
}
