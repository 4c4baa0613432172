// A proxy between adapter and sandbox that loses responses: the request is executed, but its sender never gets the response.
import { createServer, request, type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listenLocally } from '../listen.ts'

export interface Exchange {
  readonly method: string
  /** Path without the query. */
  readonly path: string
}

export interface LossyProxy {
  readonly url: string
  /** Lost responses, oldest first. */
  readonly lost: readonly (Exchange & { readonly status: number })[]
  /** Bodies of all responses, including lost ones. */
  readonly said: readonly string[]
  /** From now on loses every response for which `which` returns true. Replaces the previous condition; null loses none. */
  lose(which: ((exchange: Exchange) => boolean) | null): void
  close(): Promise<void>
}

/** Starts a proxy for a server on 127.0.0.1. */
export async function startLossyProxy(port: number): Promise<LossyProxy> {
  const lost: (Exchange & { status: number })[] = []
  const said: string[] = []
  let losing: ((exchange: Exchange) => boolean) | null = null

  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = incoming
    const exchange = { method, path: url.split('?', 1)[0] ?? url }
    const answer = await ask({ host: '127.0.0.1', port, method, path: url, headers }, await read(incoming))
    const body = await read(answer)
    const status = answer.statusCode ?? 0
    said.push(body.toString())
    if (losing?.(exchange) === true) {
      lost.push({ ...exchange, status })
      incoming.socket.destroy()
      return
    }
    outgoing.writeHead(status, answer.headers).end(body)
  }

  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  await listenLocally(server)
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    lost,
    said,
    lose: (which) => {
      losing = which
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function ask(options: RequestOptions, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(options, resolve).on('error', reject).end(body)
  })
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
