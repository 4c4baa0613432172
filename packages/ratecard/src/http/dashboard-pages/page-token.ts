// CSRF token of the dashboard. Workers below `/workers/` share its origin: to the browser their pages are same-origin, and the cookie is
// sent with their requests. So every API request must contain a token that only the dashboard's HTML holds, and a script of another page
// cannot read that HTML (docs/decisions/0045-pages-of-workers.md).
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** Required on every API request below `/dashboard`, in addition to the cookie. */
export const pageTokenHeader = 'x-csrf-token'

/** Derived from the cookie only, so that every replica can verify it. */
export const pageTokenOf = (session: string) =>
  createHash('sha256').update(`page of ${session}`, 'utf8').digest('base64url')

export function hasPageToken(request: FastifyRequest, session: string): boolean {
  const said = Buffer.from(String(request.headers[pageTokenHeader] ?? ''))
  const known = Buffer.from(pageTokenOf(session))
  return said.length === known.length && timingSafeEqual(said, known)
}

/** True for a navigation of a browser window, which scripts cannot imitate. Browsers that do not send the header are accepted. */
export function isNavigation({ headers }: FastifyRequest): boolean {
  const goal = headers['sec-fetch-dest']
  return goal === undefined || goal === 'document'
}

/**
 * True if the browser would have sent an existing cookie: after a link on another site it is withheld (SameSite), so its absence proves
 * nothing there.
 */
export function bringsCookies({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return headers['sec-fetch-dest'] === 'document' && (site === 'none' || site === 'same-origin')
}
