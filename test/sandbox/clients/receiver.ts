// An endpoint for webhooks on this machine. The sandbox delivers events to it as it would to a program's own endpoint.
import { createServer } from 'node:http'
import { listenLocally } from '../../support/listen.ts'

export interface Delivered {
  readonly payload: string
  readonly signature: string
  readonly type: string
}

export interface Receiver {
  readonly url: string
  /** Deliveries so far, in the order of their arrival. */
  readonly received: readonly Delivered[]
  close(): void
}

export async function startReceiver(): Promise<Receiver> {
  const received: Delivered[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const payload = Buffer.concat(pieces).toString('utf8')
      const { type } = JSON.parse(payload) as { readonly type: string }
      received.push({ payload, signature: String(request.headers['stripe-signature']), type })
      response.end()
    })
  })
  const port = await listenLocally(server)
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${String(port)}/webhooks`, received, close }
}
