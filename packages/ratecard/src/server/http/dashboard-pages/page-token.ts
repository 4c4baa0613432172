// CSRF token of the dashboard. Workers below `/workers/` have the same origin as the dashboard, so browsers send the dashboard's cookie
// with requests of workers' pages too. Every API request must therefore contain a token from the dashboard's HTML, which scripts of other
// pages cannot read (docs/decisions/14-workers.md).
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** Header with the page token. Required on every API request below `/dashboard`, in addition to the cookie. */
export const pageTokenHeader = 'x-csrf-token'

/** Returns the page token of a session. It is derived only from the session cookie, so that every replica can verify it. */
export const pageTokenOf = (session: string) =>
  createHash('sha256').update(`page of ${session}`, 'utf8').digest('base64url')

export function hasPageToken(request: FastifyRequest, session: string): boolean {
  const said = Buffer.from(String(request.headers[pageTokenHeader] ?? ''))
  const known = Buffer.from(pageTokenOf(session))
  return said.length === known.length && timingSafeEqual(said, known)
}

/** True for a navigation of a browser window, which scripts cannot imitate. Also true for browsers that do not send `Sec-Fetch-Dest`. */
export function isNavigation({ headers }: FastifyRequest): boolean {
  const goal = headers['sec-fetch-dest']
  return goal === undefined || goal === 'document'
}

/**
 * True if the browser would have sent an existing cookie with this request. After a link on another site the browser withholds the cookie
 * (SameSite), so a missing cookie does not mean that the user is signed out.
 */
export function bringsCookies({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return headers['sec-fetch-dest'] === 'document' && (site === 'none' || site === 'same-origin')
}

/** Path and cookie of the dashboard. The cookie is accepted below this path only. */
export const dashboardPath = '/dashboard'
export const dashboardCookie = { name: 'ratecard_dashboard', path: dashboardPath }
