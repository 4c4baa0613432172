const tagPattern = /(?:W\/)?("[^"]*")/g

/**
 * Returns the entity tag that makes `If-None-Match` match, so that the response is 304; null if a full response is needed. `tags` are the
 * tags of all encodings of the content: any of them is a match. Supports weak comparison, lists and `*` (RFC 9110, 13.1.2).
 */
export function matchedTag(header: string | undefined, chosen: string, tags: readonly string[]): string | null {
  if (header === undefined) return null
  if (header.trim() === '*') return chosen
  const listed = new Set([...header.matchAll(tagPattern)].map((match) => match[1] ?? ''))
  if (listed.has(chosen)) return chosen
  return tags.find((tag) => listed.has(tag)) ?? null
}
