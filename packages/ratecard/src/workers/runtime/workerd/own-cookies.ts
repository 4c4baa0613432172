// Cookies of ours (sessions of tenants, the dashboard) on their way to a worker, and in what it answers on our own host.
// `\s` trims as the reader of our cookies does. Leading equal signs: a cookie without a name comes back as its value alone, so that
// `Set-Cookie: =ratecard_session=…` is read as one of ours.
const ours = {
  all: /^[\s=]*(__(host|secure)-)?ratecard_/i,
  dashboard: /^[\s=]*(__(host|secure)-)?ratecard_dashboard\b/i,
}

/** Request headers, name and value in turn, without `all` cookies of ours, or without that of the dashboard alone. */
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

/** Response headers without those that set a cookie of ours, e.g. the session of another tenant for the visitor. */
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
