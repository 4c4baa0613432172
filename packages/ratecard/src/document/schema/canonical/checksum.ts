import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical.ts'
import type { BillingConfig } from '../schema.ts'

/** Returns the SHA-256 (hex) of the document's content. `$schema` is left out, because only editors use it. */
export function checksum(config: BillingConfig): string {
  return createHash('sha256')
    .update(canonicalJson({ ...config, $schema: undefined }))
    .digest('hex')
}
