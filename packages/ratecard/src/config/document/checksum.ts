import { createHash } from 'node:crypto'
import { atOnce } from '../../turns.ts'
import type { Turns } from '../../turns.ts'
import { canonicalJson } from './canonical.ts'
import type { BillingConfig } from './schema.ts'

/** SHA-256 (hex) of the content. `$schema` is for editors and does not count. */
export function checksum(config: BillingConfig): string {
  return atOnce(checksumTurns(config))
}

/** {@link checksum}, with a pause after each item. */
export function* checksumTurns(config: BillingConfig): Turns<string> {
  const hash = createHash('sha256')
  for (const piece of canonicalPieces({ ...config, $schema: undefined }, 2)) {
    hash.update(piece)
    yield
  }
  return hash.digest('hex')
}

/** The canonical text, cut at the members of the outermost `levels`. */
function* canonicalPieces(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null) {
    yield canonicalJson(value)
    return
  }
  const members = Array.isArray(value)
    ? value.map((item: unknown) => ['', item] as const)
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, member]: [string, unknown]) => [`${JSON.stringify(key)}:`, member] as const)
  yield Array.isArray(value) ? '[' : '{'
  for (const [index, [name, member]] of members.entries()) {
    yield `${index === 0 ? '' : ','}${name}`
    yield* canonicalPieces(member, levels - 1)
  }
  yield Array.isArray(value) ? ']' : '}'
}
