import { Connection } from './connection.ts'
import { Crowd, type CrowdLimits } from './crowd.ts'
import type { Host, House } from './host.ts'
import { sendReady } from './output.ts'
import { PATIENCE, type Patience } from './patience.ts'

export interface ListenOptions {
  hostname: string
  /** 0 picks a free one. */
  port: number
  /** Whether other processes may listen on the same port. */
  isShared?: boolean
  limits?: CrowdLimits
  /** Called at most once a second, with how many connections there are and how many were closed for want of room. */
  tell?: (closed: { connections: number; closed: number }) => void
  /** Called with each fault that ended a connection, or was answered with an empty 500. */
  fault?: (error: unknown) => void
  patience?: Patience
  host: Host
}

export interface Server {
  readonly port: number
  /** Finishes the requests under way, and closes all connections. */
  stop(): Promise<void>
}

const NO_LIMITS: CrowdLimits = {
  most: Infinity,
  perAddress: Infinity,
  blockOf: (address) => address,
  isExempt: () => false,
}

/** Listens for HTTP/1.1. Throws what the system says if it cannot. */
export function listen(options: ListenOptions): Server {
  const { hostname, port, isShared = false, limits = NO_LIMITS, tell, patience = PATIENCE } = options
  const crowd = new Crowd<Connection>(limits)
  const house = new TickingHouse(options.host, patience, options.fault)
  let closed = 0
  let onEmpty: (() => void) | undefined
  const inbox = new Inbox()
  const listener = Bun.listen<Connection>({
    hostname,
    port,
    allowHalfOpen: true,
    // It is there, though the types know it of connecting sockets alone.
    ...{ reusePort: isShared },
    socket: {
      open(socket) {
        // One that was reset before it was accepted has no address any more.
        const connection = new Connection(house, socket, socket.remoteAddress ?? '')
        socket.data = connection
        const unlucky = crowd.enter(connection)
        if (!unlucky) return
        closed++
        unlucky.cut()
      },
      data: (socket, chunk) => inbox.add(socket.data, chunk),
      drain: (socket) => socket.data.drained(),
      end(socket) {
        inbox.read()
        socket.data.ended()
      },
      error: (socket, error) => socket.data.fail(error),
      close(socket) {
        crowd.leave(socket.data)
        socket.data.closed()
        if (crowd.size === 0) onEmpty?.()
      },
    },
  })
  const timer = setInterval(() => {
    house.tick()
    for (const connection of [...crowd])
      if (Math.min(connection.deadline.at, house.lastSecond) < house.seconds) connection.cut()
    if (closed > 0) tell?.({ connections: crowd.size, closed })
    closed = 0
  }, 1_000 * patience.tick)
  return {
    port: listener.port,
    async stop() {
      listener.stop()
      inbox.read()
      house.isStopping = true
      house.lastSecond = house.seconds + patience.stop
      for (const connection of [...crowd]) connection.stop()
      if (crowd.size > 0)
        await new Promise<void>((resolve) => {
          onEmpty = resolve
        })
      clearInterval(timer)
    },
  }
}

/**
 * What has come in this round of the event loop. First all sockets are read, then all requests are answered, then all answers are
 * sent: a processor that goes from one to the other and back with every request has to fetch the code of each again.
 */
class Inbox {
  #chunks: { connection: Connection; chunk: Buffer }[] = []

  add(connection: Connection, chunk: Buffer): void {
    if (this.#chunks.length === 0) setImmediate(this.read)
    this.#chunks.push({ connection, chunk })
  }

  readonly read = (): void => {
    const chunks = this.#chunks
    this.#chunks = []
    for (const { connection, chunk } of chunks) {
      try {
        if (!connection.isClosed) connection.receive(chunk)
      } catch (error) {
        connection.fail(error)
      }
    }
    sendReady()
  }
}

class TickingHouse implements House {
  isStopping = false
  /** When all connections are cut. */
  lastSecond = Infinity
  seconds = 0
  date = ''
  readonly answer: Host['answer']
  readonly refuse: Host['refuse']

  constructor(
    host: Host,
    readonly patience: Patience,
    readonly fault: House['fault'] = () => undefined,
  ) {
    this.answer = (asked) => host.answer(asked)
    this.refuse = (refusal, address) => host.refuse(refusal, address)
    this.tick()
  }

  tick(): void {
    this.seconds = performance.now() / 1000
    this.date = `date: ${new Date().toUTCString()}\r\n`
  }
}
