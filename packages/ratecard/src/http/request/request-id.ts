import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/
// Random once and counted then: an id for each request must not cost a call to the random source.
const start = randomBytes(8).toString('hex')
let counter = 0

export function newRequestId(): string {
  counter += 1
  return `${start}-${counter.toString(36)}`
}

/** The caller's own `X-Request-Id` when it is harmless in logs and headers, else a new one. */
export function requestIdFrom(given: unknown): string {
  return typeof given === 'string' && sane.test(given) ? given : newRequestId()
}

export const requestIdOf = (request: Pick<IncomingMessage, 'headers'>) => requestIdFrom(request.headers['x-request-id'])
