// A proxy between adapter and sandbox that can be closed: writes are queued until it is opened again.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listenLocally } from './listen.ts'

export interface Gate {
  readonly url: string
  /** Lets this number of further writes pass, then queues all others. */
  shutAfter(writes: number): void
  /** Lets queued and later writes through. */
  open(): void
  close(): Promise<void>
}

/** Starts a proxy for a server on 127.0.0.1; open at first. */
export async function startGate(port: number): Promise<Gate> {
  let free = Infinity
  let waiting: (() => void)[] = []
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    const pass = () => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(outgoing)
      })
      sent.on('error', () => incoming.socket.destroy())
      incoming.pipe(sent)
    }
    if (method === 'GET' || free-- > 0) pass()
    else waiting.push(pass)
  })
  await listenLocally(server)
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    shutAfter: (writes) => {
      free = writes
    },
    open: () => {
      free = Infinity
      for (const pass of waiting) pass()
      waiting = []
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
