// What the service wrote into the document of this page.

const said = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null

/** Says to the service that a call comes from this page; null where nobody was signed in when the page was loaded. */
export const pageToken = said('page-token')
/** The tag of changes when the page was loaded. */
export const firstChangeTag = said('change-tag')

/** Answers of the API by their path, no older than the tag: what this page would ask for first. */
export const firstAnswers: Readonly<Record<string, unknown>> = JSON.parse(
  document.getElementById('first-answers')?.textContent ?? '{}',
) as Record<string, unknown>
