import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical.ts'
import type { BillingConfig } from './schema.ts'

/** SHA-256 (hex) of the content. `$schema` is excluded, because only editors use it. */
export function checksum(config: BillingConfig): string {
  return createHash('sha256')
    .update(canonicalJson({ ...config, $schema: undefined }))
    .digest('hex')
}
