// Work on whole documents, which cannot pause. Large documents are handled in a thread, so that no request waits for them.
import type { LiveDocument, toDocument } from '../catalog/document/to-document.ts'
import type { ConfigValidation } from '../config/validation/validate.ts'

export interface Documents {
  /** As `validateConfig` says. */
  validate(document: unknown, options?: { readonly acceptedBefore?: boolean }): Promise<ConfigValidation>
  /** As `toDocument` says. */
  fromLive(...live: Parameters<typeof toDocument>): Promise<LiveDocument>
}
