// Finds nested quantifiers in a regular expression, e.g. `(a+)+`: on a text that almost matches, such a pattern can take longer than the age of
// the universe.

/** Repetition that a quantifier asks for; null at any other place of the pattern. */
function quantifierAt(
  pattern: string,
  at: number,
): { readonly length: number; readonly varies: boolean; readonly repeats: boolean } | null {
  const sign = pattern[at]
  if (sign === '*' || sign === '+') return { length: 1, varies: true, repeats: true }
  if (sign === '?') return { length: 1, varies: true, repeats: false }
  const [text, least = '', most] = /^\{(\d+)(?:,(\d*))?\}/.exec(pattern.slice(at)) ?? []
  if (text === undefined) return null
  const top = most === undefined ? Number(least) : most === '' ? Infinity : Number(most)
  return { length: text.length, varies: top !== Number(least), repeats: top > 1 }
}

/** True if a group that is repeated contains a part that can match in several lengths. */
export function hasNestedQuantifier(pattern: string): boolean {
  /** For each open group, whether something in it can match in several lengths; the first entry is the whole pattern. */
  const groups = [false]
  let last = false
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at]
    const quantifier = quantifierAt(pattern, at)
    if (quantifier !== null) {
      if (last && quantifier.repeats) return true
      groups[groups.length - 1] ||= quantifier.varies || last
      at += quantifier.length - 1
      // A question mark after a quantifier only makes it lazy.
      if (pattern[at + 1] === '?') at++
      last = false
    } else if (sign === '(') {
      groups.push(false)
      // `(?:`, `(?=`, `(?<name>` begin with a question mark that is no quantifier.
      if (pattern[at + 1] === '?') at++
      last = false
    } else if (sign === ')') {
      last = groups.pop() ?? false
      if (groups.length === 0) groups.push(false)
      groups[groups.length - 1] ||= last
    } else {
      if (sign === '\\') at++
      else if (sign === '[') at = endOfClass(pattern, at)
      last = false
    }
  }
  return false
}

function endOfClass(pattern: string, begin: number): number {
  for (let at = begin + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++
    else if (pattern[at] === ']') return at
  }
  return pattern.length
}
