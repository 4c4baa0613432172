const tagPattern = /(?:W\/)?("[^"]*")/g

/**
 * The entity tag that makes `If-None-Match` return 304, or null for a full response. Weak comparison, lists and `*` (RFC 9110, 13.1.2).
 * `tags` holds the tags of all encodings of the content: a match with any of them is a match.
 */
export function matchedTag(header: string | undefined, chosen: string, tags: readonly string[]): string | null {
  if (header === undefined) return null
  if (header.trim() === '*') return chosen
  const listed = new Set([...header.matchAll(tagPattern)].map((match) => match[1] ?? ''))
  if (listed.has(chosen)) return chosen
  return tags.find((tag) => listed.has(tag)) ?? null
}
