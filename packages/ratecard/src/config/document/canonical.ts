import { createHash } from 'node:crypto'
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
  const content = Object.fromEntries(Object.entries(config).filter(([key]) => key !== '$schema'))
  return createHash('sha256').update(canonicalJson(content)).digest('hex')
}
