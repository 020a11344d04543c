// Examples and links of the OpenAPI document, by the name of the operation. All values are invented.

import type { JsonSchema } from './openapi-schemas.ts'

const ZEROS = '0'.repeat(49)
const NONCE = `atn_${ZEROS}`
const SCHEME = { rails: 'service_agent_rails_v1', policy_version: '1.1.0' }

export const REQUESTS: { [operation: string]: JsonSchema } = {
  request_challenge: {},
  attest: { nonce: NONCE },
  lookup_references: {
    lines: [
      { cpt: '99213', region: '94102', units: 2, billed: '300.00' },
      { cpt: '71046', modifier: '26' },
    ],
    proof: 'ref',
  },
}

export const ANSWERS: { [operation: string]: JsonSchema } = {
  lookup_reference: {
    kind: 'price',
    code: '99213',
    payer: null,
    modifier: null,
    region: 'national',
    npi: null,
    basis: 'medicare_pfs',
    setting: 'non_facility',
    class: null,
    price: { amount: '95.19', currency: 'USD', per: null },
    effective_from: '2026-07-01',
    data_class: 'published',
    effective_to: '2026-09-30',
    flags: [],
    proof: {
      type: 'agent-trust-registry/proof-ref@v3',
      release_id: 'cms-pfs:RVU26C:1',
      index: 81234,
      leaf_hash: 'vgG0MZyFKcfxndzdE3nRglIXhRDPlRjwSQz9847Jil4=',
      href: '/rows/cms-pfs:RVU26C:1/81234',
    },
  },
  request_challenge: {
    nonce: NONCE,
    expires_in: 120,
    expires_at: '2026-07-01T12:02:00.000Z',
    ...SCHEME,
    attest: '/api/agent-rails/attest',
  },
  attest: {
    rails_token: `atr_${'0'.repeat(12)}_${ZEROS}`,
    header: 'X-Agent-Rails',
    expires_in: 900,
    expires_at: '2026-07-01T12:15:00.000Z',
    scopes: ['registry:read'],
    key_id: '000000000000',
    ...SCHEME,
  },
}

/** A call that may follow, with what it takes from the answer. */
export const LINKS: { [operation: string]: JsonSchema } = {
  lookup_reference: {
    row: {
      operationId: 'get_row',
      parameters: { release_id: '$response.body#/proof/release_id', index: '$response.body#/proof/index' },
      description: 'The whole proof, of an answer that was asked for with `proof=ref`',
    },
  },
  request_challenge: { attest: { operationId: 'attest', requestBody: { nonce: '$response.body#/nonce' } } },
  attest: {
    browse: {
      operationId: 'browse_registry',
      description: 'Any protected route, with `rails_token` in the header `X-Agent-Rails`',
    },
  },
}

/** The next page of a list. */
export const nextPage = (operationId: string): JsonSchema => ({
  next: { operationId, parameters: { offset: '$response.body#/page/next_offset' } },
})
