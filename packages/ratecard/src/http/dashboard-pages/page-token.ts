// What a page of the dashboard knows and no other page of its origin does. Workers that answer below `/workers/` share that origin: to
// the browser their pages are ours, and the cookie comes along with what they ask for. So each call says a token that only the
// document of the dashboard has, and a script cannot read that document (docs/decisions/0045-pages-of-workers.md).
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** Beside the cookie, on every call of the API below `/dashboard`. */
export const pageTokenHeader = 'x-csrf-token'

/** Every replica knows it from the cookie, and from nothing else. */
export const pageTokenOf = (session: string) =>
  createHash('sha256').update(`page of ${session}`, 'utf8').digest('base64url')

export function saysPageToken(request: FastifyRequest, session: string): boolean {
  const said = Buffer.from(String(request.headers[pageTokenHeader] ?? ''))
  const known = Buffer.from(pageTokenOf(session))
  return said.length === known.length && timingSafeEqual(said, known)
}

/** A window of the browser goes there. No script can say so; browsers that do not tell are taken at their word. */
export function isNavigation({ headers }: FastifyRequest): boolean {
  const goal = headers['sec-fetch-dest']
  return goal === undefined || goal === 'document'
}

/** Said by the browser: a cookie that did not come is not there. From a link on another site it stays behind. */
export function bringsCookies({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return headers['sec-fetch-dest'] === 'document' && (site === 'none' || site === 'same-origin')
}
