// What is borne of a caller.

/** How long a head may take, a connection may have nothing to say, an answer may be made, and the last bytes are read. */
export const SECONDS = { head: 15, idle: 30, answer: 120, linger: 2 } as const
/** Then the next connection has its turn. */
export const REQUESTS_IN_TURN = 32
/** What is sent after the last request that is answered is read and thrown away, up to this. */
export const MOST_DROPPED = 1024 * 1024
/** Most who close have gone, and a few wait for an answer: they get what is ready by then. */
export const HALF_CLOSED_MS = 500
