import { join } from 'node:path'

/** The folder of the published vectors. */
export const VECTORS = join(import.meta.dir, '../../docs/spec/vectors')
export const FORMAT = 'agent-trust-registry/vectors@v3'
