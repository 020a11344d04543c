// One call of each operation and the heart of its answer, as the guide shows them. A test makes every call and compares.

export interface GuideExample {
  call: string
  /** Some members of the answer. What is not shown here may change from release to release. */
  answer: string
}

const ROW = '{"kind":"price","code":"99213","price":{"amount":"95.19","currency":"USD","per":null}}'

export const GUIDE_EXAMPLES: Record<string, GuideExample> = {
  get_readme: { call: 'GET /api/readme', answer: '{"service":"Agent Trust Registry","version":"1.0.0"}' },
  lookup_reference: { call: 'GET /reference?cpt=99213&proof=ref', answer: ROW },
  get_reference_sheet: { call: 'GET /reference/sheet?cpt=99213', answer: '{"data":[{"setting":"facility"}]}' },
  get_row: { call: 'GET /rows/cms-pfs:SAMPLE26D:1/989', answer: ROW },
  lookup_references: {
    call: 'POST /reference/batch {"lines":[{"cpt":"99213","units":2}],"proof":"ref"}',
    answer: '{"results":[{"status":200,"extended":{"amount":"190.38"}}]}',
  },
  get_reference_history: { call: 'GET /reference/history?cpt=99213&limit=1', answer: '{"page":{"limit":1}}' },
  browse_registry: { call: 'GET /api/registry?cpt=99213&limit=1', answer: '{"data":[{"code":"99213"}]}' },
  get_coverage: { call: 'GET /api/coverage?cpt=99213', answer: '{"data":[{"chart":"cms-pfs"}]}' },
  list_releases: { call: 'GET /api/releases?chart=cms-pfs&limit=1', answer: '{"data":[{"state":"published"}]}' },
  diff_releases: {
    call: 'GET /api/releases/diff?from=cms-pfs:SAMPLE26A:1&to=cms-pfs:SAMPLE26D:1',
    answer: '{"chart":"cms-pfs","added":40,"removed":40,"changed":70}',
  },
  get_figures: { call: 'GET /api/figures', answer: '{"provenance":"service_outcomes_ledger"}' },
  get_provider_stats: { call: 'GET /api/provider/1234567893', answer: '{"npi":"1234567893"}' },
  list_figure_changes: { call: 'GET /api/figure-changes?limit=1', answer: '{"page":{"limit":1}}' },
  get_data_integrity: { call: 'GET /api/data-integrity', answer: '{"charts":[]}' },
  get_status: { call: 'GET /api/status', answer: '{"status":"ok"}' },
}
