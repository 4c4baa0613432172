// What the document of this page brought along: true for as long as nothing changed since the document was made.
import { createClient } from '@ratecard/client'
import type { Client } from '@ratecard/client'

/** What the first picture of a page needs. */
export interface PageQuestion<Value> {
  readonly key: string
  readonly load: (from: Client, options: { readonly signal?: AbortSignal }) => Promise<Value>
}

/** What somebody who shows an answer begins with. */
export interface InitialAnswer {
  /** null where nothing was brought, or something changed since. */
  readonly answer: { readonly value: unknown } | null
  /** Whether `answer` is the one of `key` and still true: asked once, from then on changes are listened to. */
  readonly stands: (key: string) => boolean
}

export class EmbeddedData {
  readonly #answers = new Map<string, unknown>()

  keep(key: string, value: unknown): void {
    this.#answers.set(key, value)
  }

  /** Something changed, or may have: whoever comes from now on asks for it. */
  clear(): void {
    this.#answers.clear()
  }

  /** For whoever shows the answer of `key` first. An answer counts once. */
  begin(key: string): InitialAnswer {
    const answer = this.#answers.has(key) ? { value: this.#answers.get(key) } : null
    let isOpen = answer !== null
    const stands = (asked: string) => {
      const isFirst = isOpen && asked === key
      isOpen = false
      return isFirst && this.#answers.delete(key)
    }
    return { answer, stands }
  }
}

/** What `load` makes of answers by their path below `base`; null where one that it asks for is not there. */
export async function answerFrom<Value>(
  answers: Readonly<Record<string, unknown>>,
  base: string,
  load: PageQuestion<Value>['load'],
): Promise<{ readonly value: Value } | null> {
  const missing: string[] = []
  const client = createClient({
    baseUrl: base,
    retries: 0,
    fetch: (input) => {
      const path = typeof input === 'string' ? input.slice(base.length) : ''
      if (Object.hasOwn(answers, path)) return Promise.resolve(Response.json(answers[path]))
      missing.push(path)
      return Promise.reject(new Error(`The document does not have ${path}.`))
    },
  })
  try {
    return { value: await load(client, {}) }
  } catch (error) {
    if (missing.length > 0) return null
    throw error
  }
}
