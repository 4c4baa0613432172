/** Author of a change: the claimed name, and the service key of the request. */
export function formatAuthor(what: {
  readonly author: string | null
  readonly by: { readonly keyName: string } | null
}): string {
  if (what.by === null) return what.author ?? '–'
  return what.author === null ? `key ${what.by.keyName}` : `${what.author} (key ${what.by.keyName})`
}
