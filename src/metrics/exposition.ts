// The Prometheus text format, version 0.0.4.

/** Measurements of one kind. Names, labels and their values are words of ours: nobody outside can add series. */
export interface Family {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: readonly Sample[]
}

export interface Sample {
  /** What is added to the name of the family: `_bucket`, `_sum` and `_count` of a histogram. */
  suffix?: string
  labels?: { readonly [name: string]: string | number }
  value: number
}

export const gauge = (name: string, help: string, ...samples: Sample[]): Family => ({
  name,
  type: 'gauge',
  help,
  samples,
})
export const counter = (name: string, help: string, ...samples: Sample[]): Family => ({
  name,
  type: 'counter',
  help,
  samples,
})

const labelled = (labels: Sample['labels'] = {}): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

export function expositionOf(families: readonly Family[]): string {
  return families
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${labelled(labels)} ${value}\n`)
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

/** The measurements of several workers in one answer: each sample says of which worker it is. */
export function ofWorkers(all: readonly { worker: number; families: readonly Family[] }[]): Family[] {
  const merged = new Map<string, Family & { samples: Sample[] }>()
  for (const { worker, families } of all)
    for (const family of families) {
      const known = merged.get(family.name) ?? { ...family, samples: [] }
      merged.set(family.name, known)
      known.samples.push(...family.samples.map((sample) => ({ ...sample, labels: { ...sample.labels, worker } })))
    }
  return [...merged.values()]
}
