// The one client of these pages: that of the package, over the session cookie instead of a key.
import { createClient } from '@ratecard/client'
import { pageToken } from './page-data.ts'
import { base } from './menu.ts'

const signIn = `${base}/sign-in`

/** Whoever is no longer signed in goes to the page for that, and comes back to where they were. */
const fetchSignedIn: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers)
  if (pageToken !== null) headers.set('x-csrf-token', pageToken)
  const response = await fetch(input, { ...init, headers })
  if (response.status === 401) {
    const here = `${location.pathname}${location.search}`
    location.replace(`${signIn}?next=${encodeURIComponent(here)}`)
    // The page goes away: whoever waits for this waits until then.
    return new Promise(() => undefined)
  }
  return response
}

export const api = createClient({ baseUrl: base, credentials: 'same-origin', fetch: fetchSignedIn })
