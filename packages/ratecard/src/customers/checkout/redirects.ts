// Validates the URLs to which a hosted page may redirect the customer. Pure.
import { invalidCheckout } from './invalid.ts'

const maxUrlLength = 2000
/**
 * An http or https URL: two slashes and a host. It must not contain parts that URL parsers interpret differently: a user name, a backslash
 * or whitespace.
 */
const plainUrl = /^https?:\/\/[^/?#@\\\s]+([/?#][^\\\s\u0000-\u001f\u007f]*)?$/i

/** What decides where a hosted page may lead. */
export interface RedirectSettings {
  /** Origins of the setting RATECARD_ALLOWED_REDIRECTS; null if it is not set. */
  readonly allowedRedirects: readonly string[] | null
  /** The service's own address, which is always allowed. */
  readonly publicUrl: string | null
  readonly live: boolean
}

export interface RedirectRule {
  readonly origins: ReadonlySet<string>
  /** True if any https URL is allowed. */
  readonly anyHttps: boolean
  /** What to do about a URL that is not allowed. */
  readonly hint: string
}

/**
 * Returns the rules for service keys and for sessions. A key acts for the seller, so it may name any https URL. A session may name the
 * origins of the setting; if that is not set, any https URL at a sandbox or test account, where no money moves.
 */
export function redirectRules(settings: RedirectSettings): {
  readonly key: RedirectRule
  readonly session: RedirectRule
} {
  const { allowedRedirects, publicUrl, live } = settings
  const origins = new Set([...(allowedRedirects ?? []), ...(publicUrl === null ? [] : [publicUrl])].map(originOf))
  const useHttps = 'Use an https URL.'
  const anyHttps = allowedRedirects === null && !live
  return {
    key: { origins, anyHttps: true, hint: useHttps },
    session: {
      origins,
      anyHttps,
      hint: anyHttps ? useHttps : 'Add the origin to the setting RATECARD_ALLOWED_REDIRECTS.',
    },
  }
}

/** Throws `checkout_invalid` unless the rule allows the URL. `field` is the name of the URL's member in the API. */
export function checkRedirect(url: string, field: string, { origins, anyHttps, hint }: RedirectRule): void {
  if (url.length > maxUrlLength || !url.isWellFormed() || !plainUrl.test(url) || !URL.canParse(url))
    throw invalidCheckout(
      field,
      `"${field}" must be an absolute http or https URL of at most ${maxUrlLength} characters.`,
    )
  const { origin, hostname, protocol } = new URL(url)
  if (origins.has(origin) || isLoopback(hostname) || (anyHttps && protocol === 'https:')) return
  throw invalidCheckout(field, `"${field}" leads to ${origin}, which is not an allowed origin.`, hint)
}

const originOf = (url: string) => new URL(url).origin

/** True for a loopback host. The URL parser has already normalized all forms of IPv4 addresses, e.g. `127.1` to `127.0.0.1`. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
