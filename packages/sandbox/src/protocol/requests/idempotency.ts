import { createHash } from 'node:crypto'
import { StripeError, keyInUse, keyReused } from '../responses/errors.ts'
import { canonical } from '../parameters/form.ts'
import type { FormNode } from '../parameters/form.ts'
import type { State, StoredReply } from '../../store/state.ts'

const keptForMs = 24 * 3_600_000
const sweepEveryMs = 600_000
const longestKey = 255

/** What a key is bound to: the operation and its parameters, in whatever order they were sent. */
export function fingerprintOf(method: string, path: string, form: FormNode): string {
  return createHash('sha256')
    .update(`${method} ${path} ${canonical(form)}`)
    .digest('base64')
}

/** Remembers what was answered under a key for a day, 500s included. Of refused requests only declined payments (402) are kept: the others did nothing. */
export class IdempotencyKeys {
  readonly #state: State
  readonly #running = new Set<string>()
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(state: State) {
    this.#state = state
  }

  /** The reply to repeat, if there is one. Throws when the key is in use or was used for something else. */
  find(account: string, key: string, fingerprint: string, nowMs: number): StoredReply | undefined {
    if (key.length > longestKey) {
      throw new StripeError(`Idempotency keys can have up to ${longestKey} characters, but yours has ${key.length}.`, {
        type: 'idempotency_error',
      })
    }
    if (this.#running.has(`${account} ${key}`)) throw keyInUse(key)
    const reply = this.#state.findReply(account, key)
    if (reply === undefined || reply.createdAt + keptForMs <= nowMs) return undefined
    if (reply.fingerprint !== fingerprint) throw keyReused(key)
    return reply
  }

  /** Holds the key while a request is under way. Throws when another one does. */
  begin(account: string, key: string): void {
    if (this.#running.has(`${account} ${key}`)) throw keyInUse(key)
    this.#running.add(`${account} ${key}`)
  }

  end(account: string, key: string): void {
    this.#running.delete(`${account} ${key}`)
  }

  /** Part of the transaction that the reply is about. */
  keep(account: string, key: string, reply: StoredReply): void {
    this.#state.keepReply(account, key, reply)
    if (reply.createdAt < this.#sweptAt + sweepEveryMs) return
    this.#sweptAt = reply.createdAt
    this.#state.forgetRepliesBefore(reply.createdAt - keptForMs)
  }
}
