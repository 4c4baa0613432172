// What looks at whole documents and cannot pause: done where it makes nobody wait.
import type { LiveDocument, toDocument } from '../catalog/document/to-document.ts'
import type { ConfigValidation } from '../config/validation/validate.ts'

export interface Documents {
  /** As `validateConfig` says. */
  validate(document: unknown, options?: { readonly acceptedBefore?: boolean }): Promise<ConfigValidation>
  /** As `toDocument` says. */
  fromLive(...live: Parameters<typeof toDocument>): Promise<LiveDocument>
}
