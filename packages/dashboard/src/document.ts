// What the service wrote into the document of this page.

const said = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null

/** Says to the service that a call comes from this page; null where nobody was signed in when the page was loaded. */
export const pageToken = said('page-token')
/** The tag of changes when the page was loaded. */
export const firstChangeTag = said('change-tag')
