import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/
// A request id consists of a random part, drawn once per process, and a counter. A random id for each request would be too slow.
const start = randomBytes(8).toString('hex')
let counter = 0

export function newRequestId(): string {
  counter += 1
  return `${start}-${counter.toString(36)}`
}

/** Returns the client's `X-Request-Id` if it is safe in logs and headers (at most 100 characters), otherwise a new id. */
export function requestIdFrom(given: unknown): string {
  return typeof given === 'string' && sane.test(given) ? given : newRequestId()
}

export const requestIdOf = (request: Pick<IncomingMessage, 'headers'>) => requestIdFrom(request.headers['x-request-id'])
