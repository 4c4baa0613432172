const tagPattern = /(?:W\/)?("[^"]*")/g

/**
 * The entity tag that makes `If-None-Match` answer 304, or null for a full answer. Weak comparison, lists and `*`
 * (RFC 9110, 13.1.2). `tags` are those of every encoding of the same content: having any of them is having the content.
 */
export function matchedTag(header: string | undefined, chosen: string, tags: readonly string[]): string | null {
  if (header === undefined) return null
  if (header.trim() === '*') return chosen
  const listed = new Set([...header.matchAll(tagPattern)].map((match) => match[1] ?? ''))
  if (listed.has(chosen)) return chosen
  return tags.find((tag) => listed.has(tag)) ?? null
}
