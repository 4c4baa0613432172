import { createHash } from 'node:crypto'
import { StripeError, keyInUse, keyReused } from '../responses/errors.ts'
import { canonical, type FormNode } from '../parameters/form.ts'
import type { State, StoredReply } from '../../store/state.ts'

const retentionMs = 24 * 3_600_000
const sweepEveryMs = 600_000
const maxKeyLength = 255

/** Returns a fingerprint of an operation and its parameters, independent of the order of the parameters. */
export function fingerprintOf(method: string, path: string, form: FormNode): string {
  return createHash('sha256')
    .update(`${method} ${path} ${canonical(form)}`)
    .digest('base64')
}

/**
 * Stores the responses to requests with idempotency keys for 24 hours. Successes, 500s and declined payments (402) are stored. Other errors
 * are not, because their requests changed nothing.
 */
export class IdempotencyKeys {
  readonly #state: State
  readonly #running = new Set<string>()
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(state: State) {
    this.#state = state
  }

  /** Returns the stored response to replay. Undefined if there is none. Throws if the key is in use, or was used with other parameters. */
  find(account: string, key: string, fingerprint: string, nowMs: number): StoredReply | undefined {
    if (key.length > maxKeyLength) {
      throw new StripeError(
        `Idempotency keys can have up to ${maxKeyLength} characters, but yours has ${key.length}.`,
        {
          type: 'idempotency_error',
        },
      )
    }
    if (this.#running.has(`${account} ${key}`)) throw keyInUse(key)
    const reply = this.#state.findReply(account, key)
    if (reply === undefined || reply.createdAt + retentionMs <= nowMs) return undefined
    if (reply.fingerprint !== fingerprint) throw keyReused(key)
    return reply
  }

  /** Locks the key while a request runs. Throws if another request has locked it. */
  begin(account: string, key: string): void {
    if (this.#running.has(`${account} ${key}`)) throw keyInUse(key)
    this.#running.add(`${account} ${key}`)
  }

  end(account: string, key: string): void {
    this.#running.delete(`${account} ${key}`)
  }

  /** Stores the response to a key, and deletes expired responses from time to time. Must be called in the transaction of the request. */
  store(account: string, key: string, reply: StoredReply): void {
    this.#state.storeReply(account, key, reply)
    if (reply.createdAt < this.#sweptAt + sweepEveryMs) return
    this.#sweptAt = reply.createdAt
    this.#state.deleteRepliesBefore(reply.createdAt - retentionMs)
  }
}
