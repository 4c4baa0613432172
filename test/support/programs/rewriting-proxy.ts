// A proxy between adapter and sandbox that changes responses. The request is executed unchanged.
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenLocally } from '../listen.ts'

export interface Answered {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  /** Index of the request since the last `rewrite`, from 0. */
  readonly index: number
  readonly body: unknown
}

export interface RewritingProxy {
  readonly url: string
  /** From now on replaces the body of each successful response by the result of `how`. Resets the index. */
  rewrite(how: (answered: Answered) => unknown): void
  /**
   * From now on refuses requests for which `what` returns true, like a key without that permission. They do not reach the server.
   */
  forbid(what: (asked: Pick<Answered, 'method' | 'path'>) => boolean): void
}

/** Starts a proxy for a server on 127.0.0.1; closed when the test ends. */
export async function rewritingProxy(port: number): Promise<RewritingProxy> {
  let how: (answered: Answered) => unknown = ({ body }) => body
  let forbidden: Parameters<RewritingProxy['forbid']>[0] = () => false
  let index = 0
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    if (forbidden({ method, path: path.split('?', 1)[0] ?? path })) {
      incoming.resume()
      const error = {
        type: 'invalid_request_error',
        message: 'The provided key does not have the required permissions.',
      }
      outgoing.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
      return
    }
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      void read(answer).then((text) => {
        const said = { method, path: path.split('?', 1)[0] ?? path, index: index++, body: JSON.parse(text) as unknown }
        const body = answer.statusCode === 200 ? JSON.stringify(how(said)) : text
        const { 'content-length': _length, 'transfer-encoding': _coding, ...others } = answer.headers
        outgoing.writeHead(answer.statusCode ?? 0, others).end(body)
      })
    })
    incoming.pipe(sent)
  })
  await listenLocally(server)
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    rewrite: (next) => {
      how = next
      index = 0
    },
    forbid: (what) => {
      forbidden = what
    },
  }
}

async function read(stream: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

export type Place = readonly (string | number)[]

/** Locations of all lists and objects within a value, without the value itself. */
export function parts(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.entries(value).flatMap(([name, inner]) =>
    parts(inner, [...place, Array.isArray(value) ? Number(name) : name]),
  )
  return place.length === 0 ? own : [place, ...own]
}

/** A copy of the value with another value at one location. */
export function withPart(value: unknown, place: Place, part: unknown): unknown {
  const [name, ...rest] = place
  if (name === undefined) return part
  if (Array.isArray(value))
    return value.map((inner, at) => (at === name ? withPart(inner, rest, part) : (inner as unknown)))
  const object = value as Readonly<Record<string, unknown>>
  return { ...object, [name]: withPart(object[name], rest, part) }
}
