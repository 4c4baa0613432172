// Validates the URLs to which a hosted page may redirect the customer. Pure.
import { invalid } from './invalid.ts'

const maxUrlLength = 2000
/** Two slashes and a host, without parts that parsers interpret differently: no user, no backslash, no blanks. */
const plainUrl = /^https?:\/\/[^/?#@\\\s]+([/?#][^\\\s\u0000-\u001f\u007f]*)?$/i

/** Origins of the setting and of the service's own public URL. Loopback is always allowed. */
export function allowedOrigins(allowedRedirects: readonly string[], publicUrl: string | null): ReadonlySet<string> {
  return new Set([...allowedRedirects, ...(publicUrl === null ? [] : [publicUrl])].map((url) => new URL(url).origin))
}

/** Throws `checkout_invalid` unless the URL has an allowed origin or a loopback host. `field` is its API name. */
export function checkRedirect(url: string, field: string, allowed: ReadonlySet<string>): void {
  if (url.length > maxUrlLength || !url.isWellFormed() || !plainUrl.test(url) || !URL.canParse(url))
    throw invalid(field, `"${field}" must be an absolute http or https URL of at most ${maxUrlLength} characters.`)
  const { origin, hostname } = new URL(url)
  if (allowed.has(origin) || isLoopback(hostname)) return
  throw invalid(
    field,
    `"${field}" leads to ${origin}, which is not an allowed origin.`,
    'Add the origin to the setting RATECARD_ALLOWED_REDIRECTS.',
  )
}

/** True for loopback hosts. The URL parser has normalized all forms of IPv4 addresses, e.g. `127.1` to `127.0.0.1`. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
