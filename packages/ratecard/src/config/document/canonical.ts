import { createHash } from 'node:crypto'
import { atOnce } from '../../turns.ts'
import type { Turns } from '../../turns.ts'
import type { BillingConfig } from './schema.ts'

/** JSON with sorted keys and no spaces; members that are undefined are left out. Equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === undefined ? 'null' : JSON.stringify(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item)}`
    return `[${text}]`
  }
  // Large plans pass through here: no lists in between but the one of names.
  for (const key of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}

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
