/** Lets other requests go first: long work that waits for this between its pieces does not hold them up. */
export const ourTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
