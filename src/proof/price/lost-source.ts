import { closed, digest, instant, listOf, type Members, oneOf, token } from '../shape.ts'

/**
 * That a file which a release cites is another one now at its address, or is gone, and that the service has no copy of it.
 * It stands outside of every proof and is the service's word: only its form is checked.
 */
export interface LostSource {
  release_id: string
  /** Which citation of the release it is. */
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

/** Whether lost sources, if a list tells of some, have their form. */
export const tellsLost = ({ sources_lost = [] }: Members): boolean => isLostSources(sources_lost)
