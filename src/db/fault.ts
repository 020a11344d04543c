/** The store cannot be used as it is. The message is one sentence for the operator. */
export class StoreFault extends Error {}

/** The database answers but refuses us. `why` lets a caller report it for another address than DATABASE_URL. */
export class AddressFault extends StoreFault {
  constructor(
    readonly why: 'login' | 'name' | 'right',
    message: string,
    cause: unknown,
  ) {
    super(message, { cause })
  }
}

/** A disk could not be written. `reason` says which; a caller that has written something before adds its own text. */
export class DiskFault extends StoreFault {
  constructor(
    readonly reason: string,
    cause: unknown,
  ) {
    super(`${reason}: nothing was changed`, { cause })
  }
}

/** Another process keeps the store busy for longer than we wait, or the store is away. Trying again may succeed. */
export class StoreBusy extends Error {
  readonly retryAfterSeconds = 5

  constructor(cause: unknown, message = 'the registry store is in use by another command: try again') {
    super(message, { cause })
  }
}

/** Published data is damaged, so it is not served. The operator must repair it. */
export class DamageFault extends StoreFault {}
