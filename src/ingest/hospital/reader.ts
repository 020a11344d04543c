import { Problem } from '../../problem.ts'
import { publishedName } from '../published-name.ts'
import type { Reader, ReaderOption } from '../reader.ts'
import { openHospitalFile } from './file.ts'
import { findsHospitalCode, rereadHospital } from './reread.ts'

const NPI: ReaderOption = {
  name: 'npi',
  value: 'NPI',
  meaning:
    'the NPI of the hospital, if the file does not say it, or for some of its NPIs only. The first one names the chart',
  repeatable: true,
  parse: (npis) => ({ npis }),
}

/** The files are too large to be read into memory. */
const read: Reader['read'] = async ([path, ...more], options, rejects) => {
  if (!path || more.length > 0) throw new Problem('source_unreadable', 'give one hospital file at a time')
  const { npis, last_updated_on, published, ...file } = await openHospitalFile(path, options, rejects)
  return {
    ...file,
    // The operator may name the owner: the lowest NPI that the file names may be another hospital's.
    provider: options.npis?.[0] ?? npis[0] ?? '',
    providers: npis,
    edition: options.edition ?? last_updated_on,
    effective_from: last_updated_on,
    cited: [
      { ...published, file: publishedName(published.name, published.sha256), bytes: { length: published.bytes } },
    ],
  }
}

export const reader: Reader = { read, reread: rereadHospital, finds: findsHospitalCode, options: [NPI] }
