// Data embedded in the HTML of this page. It is fresh as long as nothing changed since the service rendered the HTML.
import { createClient } from '@ratecard/client'
import type { Client } from '@ratecard/client'

/** A request whose response a page needs for its first paint. */
export interface PageQuestion<Value> {
  readonly key: string
  readonly load: (from: Client, options: { readonly signal?: AbortSignal }) => Promise<Value>
}

/** Initial state of a component that shows the response of a request. */
export interface InitialAnswer {
  /** Null if the data is not embedded, or if something changed since the page was rendered. */
  readonly answer: { readonly value: unknown } | null
  /**
   * True if `answer` is for `key` and still fresh. Only the first call can return true: after it, the component listens for changes.
   */
  readonly isFresh: (key: string) => boolean
}

export class EmbeddedData {
  readonly #answers = new Map<string, unknown>()

  keep(key: string, value: unknown): void {
    this.#answers.set(key, value)
  }

  /** Invalidates all embedded data, because something changed or may have changed. Later components send a request. */
  clear(): void {
    this.#answers.clear()
  }

  /** Returns the embedded response of `key` for the component that shows it first. Each response is used once. */
  begin(key: string): InitialAnswer {
    const answer = this.#answers.has(key) ? { value: this.#answers.get(key) } : null
    let isOpen = answer !== null
    const isFresh = (asked: string) => {
      const isFirst = isOpen && asked === key
      isOpen = false
      return isFirst && this.#answers.delete(key)
    }
    return { answer, isFresh }
  }
}

/**
 * Runs `load` with the embedded responses, which are keyed by their path below `base`. Null if a response that it needs is missing.
 */
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
