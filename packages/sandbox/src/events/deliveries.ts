// Delivers signed events to webhook endpoints, as the real API does, and retries failed deliveries. Deliveries run in the background, and a
// slow endpoint delays its own deliveries only. The log of attempts is kept in memory.
import { createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Clock } from '../clock.ts'
import type { OutgoingEvent } from '../protocol/operation-context.ts'
import type { WebhookEndpointBody } from '../objects/bodies.ts'
import type { Lookup } from '../protocol/responses/expand.ts'
import type { State } from '../store/state.ts'
import { inVersion } from './former-shapes.ts'

export interface DeliveryAttempt {
  /** Time of the attempt in epoch milliseconds. */
  readonly at: number
  /** HTTP status of the response. Null: there was no response (see `error`). */
  readonly status: number | null
  readonly error: string | null
}

export interface Delivery {
  readonly id: number
  readonly account: string
  readonly event: string
  readonly type: string
  readonly endpoint: string
  readonly url: string
  readonly state: 'pending' | 'delivered' | 'failed' | 'not_sent'
  /** Reason why the event was not sent (status `not_sent`). */
  readonly reason: string | null
  readonly attempts: readonly DeliveryAttempt[]
}

interface DeliveryParts {
  readonly state: State
  readonly clock: Clock
  readonly anywhere: boolean
  /** Milliseconds before each retry. Default: 1 s, 5 s, 25 s. */
  readonly retryAfterMs?: readonly number[] | undefined
}

const defaultRetries = [1000, 5000, 25_000]
const timeoutMs = 10_000
const maxConcurrent = 8
const maxLogEntries = 5000

/** Returns the value of the header `Stripe-Signature`. `seconds` is the time of signing. */
export function signature(secret: string, payload: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex')}`
}

export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url)
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    /^127(\.\d{1,3}){3}$/.test(hostname) ||
    hostname === '[::1]'
  )
}

export class Deliveries {
  readonly #parts: DeliveryParts
  readonly #log: Delivery[] = []
  readonly #queues = new Map<string, { running: number; waiting: (() => Promise<void>)[] }>()
  readonly #stop = new AbortController()
  #count = 0

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  /** Queues events that are already written for delivery. Does not wait for the deliveries. */
  send(events: readonly OutgoingEvent[]): void {
    for (const outgoing of events) this.#enqueue(outgoing)
  }

  list(account?: string, limit = maxLogEntries): readonly Delivery[] {
    const found = account === undefined ? this.#log : this.#log.filter((delivery) => delivery.account === account)
    return found.slice(-limit)
  }

  /** Aborts running deliveries. No further event is sent. */
  close(): void {
    this.#stop.abort()
  }

  #enqueue({ account, event: eventId, endpoint: endpointId }: OutgoingEvent): void {
    const event = this.#parts.state.find(account, 'event', eventId)
    const endpoint = this.#parts.state.find(account, 'webhook_endpoint', endpointId)
    if (event === undefined || endpoint === undefined) return
    const allowed = this.#parts.anywhere || isLoopbackUrl(endpoint.url)
    const reason = allowed ? null : 'Not a loopback address. To send it, start the sandbox with --deliver-anywhere.'
    const id = ++this.#count
    const { url } = endpoint
    this.#remember({
      id,
      account,
      event: eventId,
      type: event.type,
      endpoint: endpointId,
      url,
      state: allowed ? 'pending' : 'not_sent',
      reason,
      attempts: [],
    })
    if (allowed) this.#queue(`${account} ${endpointId}`, () => this.#attempt(id, endpoint, 0))
    else this.#decrementPending(account, eventId)
  }

  #remember(delivery: Delivery): void {
    this.#log.push(delivery)
    if (this.#log.length >= 2 * maxLogEntries) this.#log.splice(0, this.#log.length - maxLogEntries)
  }

  #find(id: number): Delivery | undefined {
    return this.#log.findLast((delivery) => delivery.id === id)
  }

  #replace(before: Delivery, after: Delivery): void {
    const place = this.#log.lastIndexOf(before)
    if (place >= 0) this.#log[place] = after
  }

  /** Queues the delivery of an event to an endpoint. At most 8 deliveries per endpoint run at the same time. */
  #queue(name: string, work: () => Promise<void>): void {
    let queue = this.#queues.get(name)
    if (queue === undefined) this.#queues.set(name, (queue = { running: 0, waiting: [] }))
    queue.waiting.push(work)
    this.#pump(name)
  }

  #pump(name: string): void {
    const queue = this.#queues.get(name)
    if (queue === undefined || queue.running >= maxConcurrent || this.#stop.signal.aborted) return
    const work = queue.waiting.shift()
    if (work === undefined) return
    queue.running++
    void work().finally(() => {
      queue.running--
      if (queue.running === 0 && queue.waiting.length === 0) this.#queues.delete(name)
      this.#pump(name)
    })
  }

  async #attempt(id: number, endpoint: WebhookEndpointBody, tried: number): Promise<void> {
    const delivery = this.#find(id)
    if (delivery === undefined || this.#stopped()) return
    const event = this.#parts.state.find(delivery.account, 'event', delivery.event)
    // The event can be missing, because a reset has removed it in the meantime.
    if (event === undefined) return
    const at = this.#parts.clock.now()
    const shown = inVersion(event, endpoint.api_version, this.#lookup(delivery.account, at))
    const payload = JSON.stringify(shown, null, 2)
    const header = signature(endpoint._secret, payload, Math.floor(at / 1000))
    const outcome = await post(delivery.url, payload, header, this.#stop.signal)
    if (this.#stopped()) return
    const attempts = [...delivery.attempts, { at, ...outcome }]
    const good = outcome.status !== null && outcome.status >= 200 && outcome.status < 300
    const wait = (this.#parts.retryAfterMs ?? defaultRetries)[tried]
    const state = good ? 'delivered' : wait === undefined ? 'failed' : 'pending'
    this.#replace(delivery, { ...delivery, attempts, state })
    if (state !== 'pending') this.#decrementPending(delivery.account, delivery.event)
    else
      this.#schedule(wait ?? 0, `${delivery.account} ${delivery.endpoint}`, () =>
        this.#attempt(id, endpoint, tried + 1),
      )
  }

  /** Returns access to the objects of an account, as they are now, for events in a former version of the API. */
  #lookup(account: string, now: number): Lookup {
    const { state } = this.#parts
    return {
      now: Math.floor(now / 1000),
      find: (kind, id) => state.find(account, kind, id) ?? state.findDeleted(account, kind, id),
      intentsOf: (invoice) => state.select(account, 'payment_intent', [{ field: '_invoice', is: invoice }], {}),
    }
  }

  #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  #schedule(ms: number, name: string, work: () => Promise<void>): void {
    const timer = setTimeout(() => this.#queue(name, work), ms)
    timer.unref()
    this.#stop.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  }

  /** Decrements the event's `pending_webhooks`. */
  #decrementPending(account: string, eventId: string): void {
    const event = this.#parts.state.find(account, 'event', eventId)
    if (event === undefined) return
    this.#parts.state.update(account, { ...event, pending_webhooks: Math.max(0, event.pending_webhooks - 1) })
  }
}

type DeliveryResult = Omit<DeliveryAttempt, 'at'>

/** Sends one request to a webhook endpoint. A redirect is not followed and counts as a failure. */
function post(url: string, payload: string, header: string, signal: AbortSignal): Promise<DeliveryResult> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve) => {
    const body = Buffer.from(payload, 'utf8')
    const sent = request(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': body.length,
        'Stripe-Signature': header,
        'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      agent: false,
    })
    sent.on('response', (reply) => {
      reply.resume()
      resolve({ status: reply.statusCode ?? null, error: null })
    })
    sent.on('error', (error) => resolve({ status: null, error: error.message }))
    sent.end(body)
  })
}
