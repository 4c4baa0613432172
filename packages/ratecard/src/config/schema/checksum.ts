import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical.ts'
import type { BillingConfig } from './schema.ts'

/** SHA-256 (hex) of the content. `$schema` is for editors and does not count. */
export function checksum(config: BillingConfig): string {
  return createHash('sha256')
    .update(canonicalJson({ ...config, $schema: undefined }))
    .digest('hex')
}
