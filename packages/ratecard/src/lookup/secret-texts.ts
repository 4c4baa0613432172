import { secretTexts } from '../config/files/written-form.ts'
import type { SecretText } from '../config/files/written-form.ts'
import type { Store } from '../store/store.ts'

/** Of older pushes nobody is shown a plan or a difference in a moment. */
const newestPushes = 100

/**
 * Those of the newest pushes, whatever became of them: the plan of one that failed is shown too. Two questions to the store; it
 * remembers what it found, as the document of a push never changes, and a push is written in one way or in another.
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
