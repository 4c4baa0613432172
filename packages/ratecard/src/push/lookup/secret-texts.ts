import { secretTexts, type SecretText } from '../../document/files/written-form.ts'
import type { Store } from '../../store/store.ts'

/** Number of pushes, newest first, whose secret texts are redacted. The API does not show plans and differences of older pushes. */
const newestPushes = 100

/**
 * Returns a function that reads the secret texts of the newest pushes. Failed pushes are included, because the API shows their plans too.
 * Results are cached by push and written form (the document with unexpanded variables), because neither of them ever changes. With a warm
 * cache, a call takes two queries.
 */
export function createSecretTexts(store: Pick<Store, 'pushes' | 'writtenForms'>): () => Promise<readonly SecretText[]> {
  let known = new Map<string, readonly SecretText[]>()

  async function ofPush(pushId: string, writtenId: string): Promise<readonly SecretText[]> {
    const [push, written] = [await store.pushes.find(pushId), await store.writtenForms.find(writtenId)]
    const document = push?.document ?? null
    return document === null || written === null ? [] : secretTexts(JSON.parse(written), JSON.parse(document))
  }

  return async () => {
    const { items } = await store.pushes.list({ limit: newestPushes, offset: 0 })
    const uses = await store.writtenForms.usedBy(items.map(({ id }) => id))
    const found = new Map<string, readonly SecretText[]>()
    for (const { pushId, writtenId } of uses) {
      const key = `${pushId} ${writtenId}`
      found.set(key, known.get(key) ?? (await ofPush(pushId, writtenId)))
    }
    known = found
    return [...found.values()].flat()
  }
}
