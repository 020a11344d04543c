import { connect, type Socket } from 'node:net'
import { until } from './until.ts'

/** A connection to a server on this machine. */
export interface Talk {
  socket: Socket
  closed: Promise<string>
  heard: (holds: (got: string) => boolean) => Promise<string>
}

/** A connection on which texts are sent, with a pause after each. Who is stubborn does not close it when the other side does. */
export async function dial(port: number, texts: readonly string[] = [], isStubborn = false): Promise<Talk> {
  let got = ''
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('data', (bytes) => {
    got += bytes.toString('latin1')
  })
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => {
    if (!isStubborn) socket.on('end', () => socket.end())
    socket.on('close', () => resolve(got))
  })
  const heard: Talk['heard'] = async (holds) => {
    await until(() => holds(got))
    return got
  }
  for (const text of texts) {
    socket.write(Buffer.from(text, 'latin1'))
    await Bun.sleep(15)
  }
  return { socket, closed, heard }
}

export const get = (target: string, lines = '', method = 'GET'): string =>
  `${method} ${target} HTTP/1.1\r\nHost: a\r\n${lines}\r\n`
export const LAST = 'Connection: close\r\n'
export const withoutDate = (text: string): string => text.replaceAll(/date: [^\r]+ GMT\r\n/g, '')
