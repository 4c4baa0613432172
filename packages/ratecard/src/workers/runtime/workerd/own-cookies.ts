// Removes cookies of the service (tenant sessions, the dashboard) from requests to a worker, and from a worker's responses on the service's
// own host. `\s` trims the same characters as the service's cookie parser. Leading equal signs are matched too: browsers send a cookie
// without a name as its value alone, so `Set-Cookie: =ratecard_session=…` would be read as the service's cookie.
const ours = {
  all: /^[\s=]*(__(host|secure)-)?ratecard_/i,
  dashboard: /^[\s=]*(__(host|secure)-)?ratecard_dashboard\b/i,
}

/**
 * Returns the request headers (alternating name and value) without the cookies of this service. `which` selects all of these cookies, or
 * only the one of the dashboard.
 */
export function withoutOwnCookies(headers: readonly string[], which: keyof typeof ours): string[] {
  const kept: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!
    let value = headers[index + 1]!
    if (name.length === 6 && name.toLowerCase() === 'cookie') {
      const cookies = value.split(';').filter((cookie) => !ours[which].test(cookie))
      if (cookies.length === 0) continue
      value = cookies.join(';').trimStart()
    }
    kept.push(name, value)
  }
  return kept
}

/** Returns the response headers without those that set a cookie of this service, e.g. a session of another tenant. */
export function withoutOwnSetCookies(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!
    const value = headers[index + 1]!
    const isCookie = name.length === 10 && name.toLowerCase() === 'set-cookie'
    if (!isCookie || !ours.all.test(value)) kept.push(name, value)
  }
  return kept
}
