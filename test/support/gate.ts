// Stands between the adapter and the sandbox and can be shut: writes wait before it, however long, until it is opened again.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Gate {
  readonly url: string
  /** Lets so many more writes through, then none. */
  shutAfter(writes: number): void
  /** Lets through what waits, and what comes. */
  open(): void
  close(): Promise<void>
}

/** In front of a server on 127.0.0.1; open at first. */
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
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
