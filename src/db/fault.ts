/** The store cannot be used as it is. The message is one sentence for the operator. */
export class StoreFault extends Error {}

/** The database is there, and does not let us in or work. `why` lets a caller say it of another address than DATABASE_URL. */
export class AddressFault extends StoreFault {
  constructor(
    readonly why: 'login' | 'name' | 'right',
    message: string,
    cause: unknown,
  ) {
    super(message, { cause })
  }
}

/** Something could not be written. `reason` says what; a caller that had written something before says so in its own words. */
export class DiskFault extends StoreFault {
  constructor(
    readonly reason: string,
    cause: unknown,
  ) {
    super(`${reason}: nothing was changed`, { cause })
  }
}

/** Another process kept the store busy for longer than we wait, or the store is away. Trying again may succeed. */
export class StoreBusy extends Error {
  readonly retryAfterSeconds = 5

  constructor(cause: unknown, message = 'the registry store is in use by another command: try again') {
    super(message, { cause })
  }
}

/** Something of what was published is not as it was published any more, so it is not shown. The operator must repair it. */
export class DamageFault extends StoreFault {}
