// The document as its author wrote it, kept beside the one that is pushed. Nothing is expanded here: it only has to be what the
// pushed one was expanded from.
import { whereNotExpanded } from '../config/files/written-form.ts'
import { ServiceError } from '../errors/service-error.ts'
import { inTurns } from '../turns.ts'
import { jsonTurns } from '../wire/json.ts'
import type { SyncDeps } from './deps.ts'

/** Keeps a document with its `${NAME}`; the id to push with. */
export async function keepWritten(deps: Pick<SyncDeps, 'store' | 'clock'>, document: unknown): Promise<string> {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new ServiceError('request_invalid', 'The document as written is not a JSON object.')
  return deps.store.writtenForms.keep(await inTurns(jsonTurns(document)), deps.clock.now())
}

/** Throws `written_form_mismatch` unless that document is kept, and `document` can be expanded from it. */
export async function requireWrittenForm(deps: SyncDeps, id: string, document: unknown): Promise<void> {
  const text = await deps.store.writtenForms.find(id)
  if (text === null)
    throw new ServiceError('written_form_mismatch', 'No document as written is kept under that id.', {
      hint: 'Send it first: POST /api/v1/billing/admin/config/written.',
    })
  const place = whereNotExpanded(JSON.parse(text), document)
  if (place === null) return
  throw new ServiceError(
    'written_form_mismatch',
    `At ${place} the document is not what the document as written expands to. Nothing was pushed.`,
    { hint: 'Send both from the same files, or leave the document as written away.' },
  )
}
