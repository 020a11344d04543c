import type { Soon } from '../soon.ts'
import type { ReadyBytes } from './answer.ts'
import type { Head, Refusal } from './head.ts'
import type { Sending } from './output.ts'
import type { Patience } from './patience.ts'

/** A request whose head was read. */
export interface Asked {
  readonly head: Head
  /** The address of the other end of the connection. */
  readonly address: string
  /** The same as an object. It costs more than many answers, so it is made when it is asked for. */
  request(): Request
}

/** Whoever answers. */
export interface Host {
  answer(asked: Asked): Soon<Response | ReadyBytes>
  /** What to say to somebody whose request cannot be read. */
  refuse(refusal: Refusal, address: string): Soon<Response | ReadyBytes>
}

/** A socket, as far as a connection needs it. */
export interface Wire extends Sending {
  pause(): void
  resume(): void
  /** Says that nothing more will be sent. */
  shutdown(): void
  end(): void
  terminate(): void
}

/** What all connections of a server share. */
export interface House extends Host {
  /** Seconds since the start, looked at once a tick. */
  readonly seconds: number
  readonly patience: Patience
  /** The header with the time, with its end. */
  readonly date: string
  readonly isStopping: boolean
  /** Told of what nobody else knows of: the host has failed, or its answer could not be sent as it is. */
  fault(error: unknown): void
}
