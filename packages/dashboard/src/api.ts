// The API client of the dashboard: @ratecard/client, authenticated by the session cookie instead of a service key.
import { createClient } from '@ratecard/client'
import { pageToken } from './frame/page-data.ts'
import { base } from './frame/menu.ts'

const signIn = `${base}/sign-in`

/**
 * Sends requests with the CSRF token of the page. If the session has expired (401), it redirects to the sign-in page, which then returns
 * the user to the current page.
 */
const fetchSignedIn: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers)
  if (pageToken !== null) headers.set('x-csrf-token', pageToken)
  const response = await fetch(input, { ...init, headers })
  if (response.status === 401) {
    const here = `${location.pathname}${location.search}`
    location.replace(`${signIn}?ended&next=${encodeURIComponent(here)}`)
    // Never resolves, because the browser is leaving this page. Otherwise the page would briefly show an error.
    return new Promise(() => undefined)
  }
  return response
}

export const api = createClient({ baseUrl: base, credentials: 'same-origin', fetch: fetchSignedIn })
