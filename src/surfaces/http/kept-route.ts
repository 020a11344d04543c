import type { Access, Bucket, Operation } from '../../operation.ts'
import { ENCODINGS, type Encoding } from './compression.ts'
import { formChooser, isNamed, negotiate } from './negotiation.ts'
import { remembered } from './remembered.ts'
import type { Rendered, RenderedFile, Resource } from './resource.ts'

/** A route whose answers can be kept, as far as it is known before a request is read. */
export interface KeptRoute {
  /** The documented path, for the log. */
  path: string
  access: Access
  limit: Bucket
  /** Undefined where answers are not kept. */
  stamp: () => string | undefined
  /** The number of the form that an Accept header gets; undefined if none is acceptable. */
  formFor: (accept: string | null) => number | undefined
  /** Any query gives the same answer. */
  ignoresQuery: boolean
  /** Answers that are being made now, by their names: callers who ask for the same meanwhile get them too. */
  underWay: Map<string, Promise<Rendered | RenderedFile>>
  /** The route has a few answers in all, so each is kept when it is first made. */
  isSmall: boolean
}

const [JSON_TYPE, PROBLEM_TYPE] = ['application/json', 'application/problem+json']

/** The number of the JSON form that an Accept header gets. A caller who names the type of refusals takes JSON too. */
export const jsonFormFor: KeptRoute['formFor'] = (accept) => (accept === null ? 0 : chosenJson(accept).at)
const chosenJson = remembered((accept): { at: number | undefined } => {
  if (negotiate([{ type: JSON_TYPE }], accept)) return { at: 0 }
  return { at: isNamed(PROBLEM_TYPE, accept) ? 1 : undefined }
})

export const operationRoute = ({ http, access, limit, cache, stamp, input }: Operation): KeptRoute => ({
  path: http.path,
  access,
  limit,
  stamp: stampOf(cache, http.method === 'GET' ? stamp : undefined),
  formFor: jsonFormFor,
  ignoresQuery: false,
  underWay: new Map(),
  isSmall: Object.keys(input.shape).length === 0,
})

export const resourceRoute = (resource: Resource): KeptRoute => ({
  path: resource.path,
  access: resource.access ?? 'public',
  limit: resource.limit ?? 'default',
  stamp: stampOf(resource.cache, resource.stamp),
  formFor:
    resource.forms.length === 1 && resource.forms[0]?.type.startsWith('text/') ? () => 0 : formChooser(resource.forms),
  ignoresQuery: (resource.lenient ?? false) && resource.query === undefined,
  underWay: new Map(),
  isSmall: resource.query === undefined && (resource.parameters ?? []).every(({ values }) => values !== undefined),
})

/** Answers that nobody may store are not kept here either. */
const stampOf = (cache: string, stamp: (() => string | undefined) | undefined): (() => string | undefined) =>
  stamp === undefined || cache.includes('no-store') ? () => undefined : stamp

/** The numbers of the variants of an answer: one form in one coding, or in all of them where it has only one. */
export function variantsOf(form: number, encoding?: Encoding): number[] {
  const codings = encoding === undefined ? ENCODINGS : [encoding]
  return codings.map((coding) => variantOf(form, coding))
}

export const variantOf = (form: number, encoding: Encoding): number =>
  form * ENCODINGS.length + ENCODINGS.indexOf(encoding)
