/**
 * Returns the candidate most similar to `word`, for "did you mean …?"; undefined if none is similar. Similar means that the
 * Damerau-Levenshtein distance is at most a third of the length of `word`. With `isGenerous`, it is a third of the length of the longer
 * word, so that `bilin` finds `billing`.
 */
export function nearest(word: string, candidates: Iterable<string>, isGenerous = false): string | undefined {
  const needle = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Infinity
  for (const candidate of candidates) {
    const length = isGenerous ? Math.max(word.length, candidate.length) : word.length
    const most = Math.max(1, Math.floor(length / 3))
    const enough = Math.min(bestDistance, most + 1)
    if (Math.abs(candidate.length - word.length) >= enough) continue
    const found = editDistance(needle, candidate.toLowerCase(), enough)
    if (found < enough) {
      best = candidate
      bestDistance = found
    }
  }
  return best
}

/** Returns `Did you mean "x"?`, or undefined if no candidate is similar. */
export function didYouMean(word: string, candidates: Iterable<string>, isGenerous = false): string | undefined {
  const found = nearest(word, candidates, isGenerous)
  return found === undefined ? undefined : `Did you mean "${found}"?`
}

/** Returns the Damerau-Levenshtein distance of two words. Stops early and returns `enough` once the distance is at least `enough`. */
function editDistance(a: string, b: string, enough: number): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1
      let value = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + cost)
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        value = Math.min(value, beforeLast[column - 2]! + 1)
      current.push(value)
      least = Math.min(least, value)
    }
    // A transposition uses the row before the last one and costs one. So if all values of the last two rows are at least `enough`, so are
    // all values of later rows.
    if (least >= enough && Math.min(...last) >= enough) return enough
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
