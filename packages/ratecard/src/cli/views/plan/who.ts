/** Formats the author of a change: the name that the author claimed, and the name of the service key that sent the request. */
export function formatAuthor(what: {
  readonly author: string | null
  readonly by: { readonly keyName: string } | null
}): string {
  if (what.by === null) return what.author ?? '–'
  return what.author === null ? `key ${what.by.keyName}` : `${what.author} (key ${what.by.keyName})`
}
