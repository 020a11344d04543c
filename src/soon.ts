/** A value, or the promise of one. Work that has nothing to wait for gives the value: a promise costs more than a lookup. */
export type Soon<T> = T | Promise<T>

/** Goes on with a value when it is there. */
export const after = <T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Does something that may fail, at once or later. */
export function attempt<T>(work: () => Soon<T>, failed: (error: unknown) => Soon<T>): Soon<T> {
  try {
    const done = work()
    return done instanceof Promise ? done.catch(failed) : done
  } catch (error) {
    return failed(error)
  }
}
