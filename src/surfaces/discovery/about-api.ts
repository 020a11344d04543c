export const API_VERSION = '0.2.0'

/** Where the members of answers are explained. */
export const CORE_PATH = '/api/openapi-core.json'
