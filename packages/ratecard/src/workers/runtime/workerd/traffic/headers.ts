/** Hop-by-hop headers, which a proxy never forwards (RFC 9110 §7.6.1), in lowercase. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Returns the hop-by-hop headers plus `names` (lowercase), for the argument `without` of `endToEnd`. */
export function hopByHopAnd(...names: readonly string[]): ReadonlySet<string> {
  return new Set([...hopByHop, ...names])
}

/** Returns the headers (alternating name and value) without those in `without` and those that the `Connection` header lists. */
export function endToEnd(rawHeaders: readonly string[], without: ReadonlySet<string>): string[] {
  let named: Set<string> | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.length !== 10 || rawHeaders[index]!.toLowerCase() !== 'connection') continue
    named ??= new Set()
    for (const token of rawHeaders[index + 1]!.split(',')) named.add(token.trim().toLowerCase())
  }
  const kept: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (without.has(name) || named?.has(name) === true) continue
    kept.push(rawHeaders[index]!, rawHeaders[index + 1]!)
  }
  return kept
}
