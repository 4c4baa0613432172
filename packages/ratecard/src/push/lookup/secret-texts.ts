import { maskedWebhooks, secretTexts, type SecretTexts } from '../../document/files/written-form.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { Store } from '../../store/store.ts'

/** Number of pushes, newest first, whose secret texts are redacted. The API does not show plans and differences of older pushes. */
const newestPushes = 100

const none: SecretTexts = { variables: [], webhooks: [] }

/**
 * Returns a function that reads the secret texts of the newest pushes. Failed pushes are included, because the API shows their plans too.
 * Results are cached by push and written form (the document with unexpanded variables), because neither of them ever changes. With a warm
 * cache, a call takes two queries.
 */
export function createSecretTexts(store: Pick<Store, 'pushes' | 'writtenForms'>): () => Promise<SecretTexts> {
  let known = new Map<string, SecretTexts>()

  async function ofPush(pushId: string, writtenId: string | undefined): Promise<SecretTexts> {
    const text = (await store.pushes.find(pushId))?.document ?? null
    if (text === null) return none
    const document = JSON.parse(text) as BillingConfig
    const written = writtenId === undefined ? null : await store.writtenForms.find(writtenId)
    return {
      variables: written === null ? [] : secretTexts(JSON.parse(written), document),
      webhooks: maskedWebhooks(document),
    }
  }

  return async () => {
    const ids = (await store.pushes.list({ limit: newestPushes, offset: 0 })).items.map(({ id }) => id)
    const uses = new Map((await store.writtenForms.usedBy(ids)).map(({ pushId, writtenId }) => [pushId, writtenId]))
    const found = new Map<string, SecretTexts>()
    for (const id of ids) {
      const key = `${id} ${uses.get(id) ?? ''}`
      found.set(key, known.get(key) ?? (await ofPush(id, uses.get(id))))
    }
    known = found
    const all = [...found.values()]
    return {
      variables: all.flatMap(({ variables }) => variables),
      webhooks: all.flatMap(({ webhooks }) => webhooks),
    }
  }
}
