/** Who did it: the name that was claimed, and the service key that it came with. */
export function showWho(what: {
  readonly author: string | null
  readonly by: { readonly keyName: string } | null
}): string {
  if (what.by === null) return what.author ?? '–'
  return what.author === null ? `key ${what.by.keyName}` : `${what.author} (key ${what.by.keyName})`
}
