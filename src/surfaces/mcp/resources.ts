import {
  type Resource as ListedResource,
  type ResourceTemplateType as ListedTemplate,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
} from '@modelcontextprotocol/server'
import { answerText, type Operation, perform } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import { LIMITS, readHead, readInput, targetOf } from '../http/request.ts'
import { isFile, type Resource, wholePage } from '../http/resource.ts'
import { CARD_MIME, CARD_URI, type Card } from './card.ts'
import type { Visitor } from './visitor.ts'

const JSON_TYPE = 'application/json'
/** The documents that an agent reads first, by their path. Those that the service does not have are left out. */
const DOCUMENTS = ['/api/readme', '/api/agent-rails/policy', '/log/policy', '/llms.txt']
const ROW = '/rows/{release_id}/{index}'
const RELEASES = '/api/releases'

export interface ReadableParts {
  operations: readonly Operation[]
  /** The resources of the HTTP surface. */
  resources: readonly Resource[]
  card: Card
}

const isPublicGet = ({ http, access }: Operation): boolean => http.method === 'GET' && access === 'public'

export function listResources({ operations, resources }: ReadableParts, baseUrl: string): ListedResource[] {
  const documents = DOCUMENTS.flatMap((path) => {
    const op = operations.find((each) => each.http.path === path)
    const page = resources.find((each) => each.path === path)
    const described = op ?? page
    const mimeType = op ? JSON_TYPE : page?.forms[0]?.type
    return described && mimeType
      ? [{ uri: `${baseUrl}${path}`, name: path.slice(1), description: described.summary, mimeType }]
      : []
  })
  const card = {
    uri: CARD_URI,
    name: 'evidence-card',
    description: 'Shows a price with its source, and checks its proof in the client',
    mimeType: CARD_MIME,
  }
  return [...documents, card]
}

export function listTemplates({ operations }: ReadableParts, baseUrl: string): ListedTemplate[] {
  return [
    { path: ROW, uriTemplate: ROW, name: 'row' },
    { path: '/reference', uriTemplate: '/reference{?cpt,region,npi,as_of,modifier,setting,basis}', name: 'price' },
    { path: RELEASES, uriTemplate: `${RELEASES}{?chart,state,limit,offset}`, name: 'releases' },
  ].flatMap(({ path, uriTemplate, name }) => {
    const op = operations.find((each) => each.http.path === path)
    return op ? [{ uriTemplate: `${baseUrl}${uriTemplate}`, name, description: op.summary, mimeType: JSON_TYPE }] : []
  })
}

/** Reads the card, one of the documents, or what any public operation answers at an address of this service. */
export async function readResource(parts: ReadableParts, uri: string, visitor: Visitor): Promise<ReadResourceResult> {
  if (uri === CARD_URI) return { contents: [await meteredCard(parts, visitor)] }
  const { baseUrl } = visitor
  const target = uri.startsWith(`${baseUrl}/`) && uri.length <= LIMITS.urlBytes ? uri.slice(baseUrl.length) : undefined
  const { pathname: path, search } = target === undefined ? { pathname: '', search: '' } : targetOf(target)
  const found = parts.operations
    .filter(isPublicGet)
    .flatMap((op) => (valuesIn(op.http.path, path) ? [{ op, values: valuesIn(op.http.path, path) ?? {} }] : []))[0]
  if (found) {
    const request = new Request(`http://localhost${target}`)
    const read = () => readInput(found.op, { request, search, head: readHead(request.headers) }, found.values)
    const outcome = visitor.note(await perform(found.op, visitor.call, visitor.gate, read))
    if (!outcome.ok) throw refusalOfRead(outcome.problem, visitor, found.op)
    return { contents: [{ uri, mimeType: JSON_TYPE, text: answerText(outcome.output) }] }
  }
  const refused = await visitor.enter()
  if (refused) throw refusalOfRead(refused, visitor)
  const form = DOCUMENTS.includes(path) && parts.resources.find((each) => each.path === path)?.forms[0]
  const rendered = form ? await form.render() : undefined
  if (!form || rendered === undefined || isFile(rendered)) throw refusalOfRead(new Problem('route_not_found'), visitor)
  const { bytes } = wholePage(rendered)
  return { contents: [{ uri, mimeType: form.type, text: Buffer.from(bytes).toString('utf8') }] }
}

async function meteredCard({ card }: ReadableParts, visitor: Visitor): Promise<ReadResourceResult['contents'][number]> {
  const refused = await visitor.enter()
  if (refused) throw refusalOfRead(refused, visitor)
  return card.contents()
}

/** The protocol has errors for resources, and no results that are refusals. */
const refusalOfRead = (problem: Problem, visitor: Visitor, op?: Operation): ProtocolError =>
  new ProtocolError(
    problem.entry.kind === 'limited' || problem.entry.kind === 'unavailable'
      ? ProtocolErrorCode.InternalError
      : ProtocolErrorCode.InvalidParams,
    `${problem.code}: ${problem.detail}`,
    visitor.document(problem, op),
  )

/** The values of the parameters of a documented path in an actual one; undefined if it does not fit. */
function valuesIn(documented: string, path: string): Record<string, string> | undefined {
  const names = [...documented.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const pattern = documented.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')
  const match = new RegExp(`^${pattern}$`).exec(path)
  return match ? Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? ''])) : undefined
}
