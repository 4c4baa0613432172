// Data that the service embedded in the HTML of this page.

/** The build renders the frame in Node, where there is no document. */
const metaContent = (name: string) =>
  globalThis.document?.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null

/** CSRF token, sent with each call of this page. Null if no user was signed in when the page was loaded. */
export const pageToken = metaContent('page-token')
/** The change tag when the page was loaded. */
export const firstChangeTag = metaContent('change-tag')
