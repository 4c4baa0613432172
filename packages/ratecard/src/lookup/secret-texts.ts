import { secretTexts } from '../config/files/written-form.ts'
import type { SecretText } from '../config/files/written-form.ts'
import type { Store } from '../store/store.ts'

/** Of older revisions nobody is shown a plan or a difference in a moment. */
const newestRevisions = 50

/** Remembers what it found: a revision and its document never change, and a push is written in one way or in another. */
export function createSecretTexts(
  store: Pick<Store, 'versions' | 'writtenForms'>,
): () => Promise<readonly SecretText[]> {
  const known = new Map<string, readonly SecretText[]>()

  async function ofRevision(revision: number, pushId: string): Promise<readonly SecretText[]> {
    const written = await store.writtenForms.ofPush(pushId)
    if (written === null) return []
    const key = `${String(revision)} ${written.id}`
    const before = known.get(key)
    if (before !== undefined) return before
    const document = (await store.versions.find(revision))?.document ?? null
    const found = document === null ? [] : secretTexts(JSON.parse(written.document), JSON.parse(document))
    known.set(key, found)
    return found
  }

  return async () => {
    const { items } = await store.versions.list({ limit: newestRevisions, offset: 0 })
    const found: SecretText[] = []
    for (const { revision, pushId } of items) if (pushId !== null) found.push(...(await ofRevision(revision, pushId)))
    return found
  }
}
