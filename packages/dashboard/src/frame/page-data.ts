// Data that the service embedded in the HTML of this page.

/** null where there is no document: the build renders the frame in Node. */
const metaContent = (name: string) =>
  typeof document === 'undefined'
    ? null
    : (document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null)

/** CSRF token, sent with each call of this page. Null if no user was signed in when the page was loaded. */
export const pageToken = metaContent('page-token')
/** The change tag when the page was loaded. */
export const firstChangeTag = metaContent('change-tag')
