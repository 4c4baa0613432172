// Parses and validates documents as callers send them, with the tasks of catalog/document-tasks.ts. The tasks return issues; the functions
// here throw these as errors.
import type { BillingConfig } from '../document/schema/schema.ts'
import type { ConfigValidation } from '../document/validation/validate.ts'
import type { Issue } from '../base/errors/issue.ts'
import { ServiceError } from '../base/errors/service-error.ts'
import type { SyncDeps } from './deps.ts'
import type { GivenDocument } from '../api/push/config.ts'

type DocumentDeps = Pick<SyncDeps, 'documents'>

export interface ValidDocument {
  readonly config: BillingConfig
  /** The document as JSON text without spaces, with its members in the order of the request. */
  readonly text: string
  readonly warnings: readonly Issue[]
}

/** Returns the document as JSON text without spaces. Throws ServiceError `json_malformed`. */
export async function compactDocument(deps: DocumentDeps, document: GivenDocument): Promise<string> {
  const { malformed, text } = await deps.documents.run('compact', { text: textOf(document) })
  if (malformed !== null) throw notJson(malformed)
  return text
}

/**
 * Validates a document and returns the result together with the document's text. Throws ServiceError `json_malformed` if the document is
 * not JSON.
 */
export async function checkDocument(
  deps: DocumentDeps,
  document: GivenDocument,
): Promise<Omit<ConfigValidation, 'config'> & { readonly text: string }> {
  const checked = await deps.documents.run('check', { text: textOf(document) })
  const { malformed, text, valid, errors, warnings } = checked
  if (malformed !== null) throw notJson(malformed)
  return { text, valid, errors, warnings }
}

/** Validates a document and returns it with its warnings. Throws ServiceError `config_invalid` with all issues if it is invalid. */
export async function requireValid(deps: DocumentDeps, document: GivenDocument): Promise<ValidDocument> {
  const { text, valid, errors, warnings } = await checkDocument(deps, document)
  if (!valid)
    throw new ServiceError(
      'config_invalid',
      `${String(errors.length)} ${errors.length === 1 ? 'problem' : 'problems'} in the configuration.`,
      { issues: [...errors, ...warnings] },
    )
  return { config: JSON.parse(text) as BillingConfig, text, warnings }
}

const textOf = (document: GivenDocument): string => (typeof document === 'string' ? document : JSON.stringify(document))

function notJson(issue: Issue): ServiceError {
  return new ServiceError('json_malformed', issue.detail, { issues: [issue] })
}
