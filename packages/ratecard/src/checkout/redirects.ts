// Where a hosted page may send the customer back to. Pure.
import { invalid } from './invalid.ts'

const longestUrl = 2000
/** Two slashes and a host, and nothing that another parser could read as something else: no user, no backslash, no blanks. */
const plainUrl = /^https?:\/\/[^/?#@\\\s]+([/?#][^\\\s\u0000-\u001f\u007f]*)?$/i

/** The origins of the setting and of the service's own public URL. Loopback needs no entry. */
export function allowedOrigins(allowedRedirects: readonly string[], publicUrl: string | null): ReadonlySet<string> {
  return new Set([...allowedRedirects, ...(publicUrl === null ? [] : [publicUrl])].map((url) => new URL(url).origin))
}

/** Throws `checkout_invalid` unless the URL leads to an allowed origin or to loopback. `field` is its name on the wire. */
export function checkRedirect(url: string, field: string, allowed: ReadonlySet<string>): void {
  if (url.length > longestUrl || !url.isWellFormed() || !plainUrl.test(url) || !URL.canParse(url))
    throw invalid(field, `"${field}" must be an absolute http or https URL of at most ${longestUrl} characters.`)
  const { origin, hostname } = new URL(url)
  if (allowed.has(origin) || isLoopback(hostname)) return
  throw invalid(
    field,
    `"${field}" leads to ${origin}, which is not an allowed origin.`,
    'Add the origin to the setting RATECARD_ALLOWED_REDIRECTS.',
  )
}

/** The parser has already written every form of an IPv4 address as four numbers. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
