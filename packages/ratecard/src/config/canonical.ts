import { createHash } from 'node:crypto'
import type { BillingConfig } from './schema.ts'

/** JSON with sorted keys and no spaces; members that are undefined are left out. Equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`
  if (typeof value !== 'object' || value === null) return value === undefined ? 'null' : JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}

/** SHA-256 (hex) of the content. `$schema` is for editors and does not count. */
export function checksum(config: BillingConfig): string {
  const content = Object.fromEntries(Object.entries(config).filter(([key]) => key !== '$schema'))
  return createHash('sha256').update(canonicalJson(content)).digest('hex')
}
