const tagPattern = /(?:W\/)?("[^"]*")/g

/**
 * Returns the entity tag for a 304 response; null if a full response is needed. It is `chosen` if `If-None-Match` is `*` or contains it.
 * Otherwise it is one of `tags` (the tags of all encodings of the content) that the header contains. Supports lists and weak comparison
 * (RFC 9110, 13.1.2).
 */
export function matchedTag(header: string | undefined, chosen: string, tags: readonly string[]): string | null {
  if (header === undefined) return null
  if (header.trim() === '*') return chosen
  const listed = new Set([...header.matchAll(tagPattern)].map((match) => match[1] ?? ''))
  if (listed.has(chosen)) return chosen
  return tags.find((tag) => listed.has(tag)) ?? null
}
