// Validates the URLs to which a hosted page may redirect the customer. Pure.
import { invalid } from './invalid.ts'

const maxUrlLength = 2000
/**
 * An http or https URL: two slashes and a host. It must not contain parts that URL parsers interpret differently: a user name, a backslash
 * or whitespace.
 */
const plainUrl = /^https?:\/\/[^/?#@\\\s]+([/?#][^\\\s\u0000-\u001f\u007f]*)?$/i

/** Returns the allowed origins: those in the settings, the service's own public URL, and loopback hosts. */
export function allowedOrigins(allowedRedirects: readonly string[], publicUrl: string | null): ReadonlySet<string> {
  return new Set([...allowedRedirects, ...(publicUrl === null ? [] : [publicUrl])].map((url) => new URL(url).origin))
}

/**
 * Throws `checkout_invalid` unless the URL has an allowed origin or a loopback host. `field` is the name of the URL's member in the API.
 */
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

/** True for a loopback host. The URL parser has already normalized all forms of IPv4 addresses, e.g. `127.1` to `127.0.0.1`. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
