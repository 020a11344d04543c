import { closed, digest, instant, listOf, type Members, oneOf, token } from '../shape.ts'

/**
 * A file that a release cites and that is changed or gone at its address, without a copy at the service. This is the
 * service's word, outside of every proof: only its form is checked.
 */
export interface LostSource {
  release_id: string
  /** The SHA-256 in the citation. */
  sha256: string
  state: 'changed' | 'gone'
  since: string
}

export const MOST_LOST = 20

export const isLostSources = listOf(
  closed({
    release_id: token,
    sha256: digest,
    state: oneOf('changed', 'gone'),
    since: instant,
  }),
  MOST_LOST,
)

/** Whether the lost sources of a body, if it has any, have their form. */
export const hasLostSources = ({ sources_lost = [] }: Members): boolean => isLostSources(sources_lost)
