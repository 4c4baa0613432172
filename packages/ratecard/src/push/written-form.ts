// The written form of a document is its text as the author wrote it, with variables such as `${NAME}`. It is stored beside the pushed
// document. It is only checked to become the pushed document when its variables are expanded.
import { ServiceError } from '../base/errors/service-error.ts'
import type { SyncDeps } from './deps.ts'
import { compactDocument } from './document-jobs.ts'
import type { GivenDocument } from '../api/push/config.ts'

type WrittenDeps = Pick<SyncDeps, 'store' | 'clock' | 'documents'>

/** Stores a written form and returns its id, which the push refers to. */
export async function keepWritten(deps: WrittenDeps, document: GivenDocument): Promise<string> {
  const text = await compactDocument(deps, document)
  if (!text.startsWith('{')) {
    const detail = 'The source document must be a JSON object.'
    const issues = [{ code: 'type_wrong', pointer: '#', severity: 'error', detail }] as const
    throw new ServiceError('request_invalid', detail, { issues })
  }
  return deps.store.writtenForms.keep(text, deps.clock.now())
}

/** Throws `written_form_mismatch` unless the written form with this id is stored and becomes `text` when its variables are expanded. */
export async function requireWrittenForm(deps: SyncDeps, id: string, text: string): Promise<void> {
  const written = await deps.store.writtenForms.find(id)
  if (written === null)
    throw new ServiceError('written_form_mismatch', 'There is no source document with that id.', {
      hint: 'Send it first: POST /api/v1/billing/admin/config/written.',
    })
  const place = await deps.documents.run('notExpanded', { written, text })
  if (place === null) return
  throw new ServiceError(
    'written_form_mismatch',
    `At ${place} the document differs from the expanded source document. Nothing was pushed.`,
    { hint: 'Send both from the same files, or leave out the source document.' },
  )
}
