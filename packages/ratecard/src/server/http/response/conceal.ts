// Redacts secrets in webhook URLs. Responses to read-only keys and to dashboard pages contain the variable's name (e.g.
// `${WEBHOOK_ORIGIN}`) in place of its value. Read-only keys see neither userinfo nor values of queries.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { maskedUrl } from '../../../base/wording/masked-url.ts'
import type { SecretText, SecretTexts } from '../../../document/files/written-form.ts'
import { dashboardPath } from '../dashboard-pages/page-token.ts'
import type { Service } from '../../service/service.ts'

/**
 * Operations that return a document for further use. They contain no names of variables in place of values, because those would change the
 * document. A document with a masked URL is refused when it is pushed.
 */
const exact = new Set(['getFullConfig', 'pullConfig', 'getRevision'])

/** Members of the processor's objects that let whoever has them act as the customer, or read what is addressed to it. */
const links = new Set(['url', 'hosted_invoice_url', 'invoice_pdf', 'receipt_url', 'client_secret'])

/**
 * Returns an object of the processor without links and secrets of customers, at any depth. A key of scope `read` may know what happened, but
 * e.g. the `url` of a portal session would let it act as the customer.
 */
export function withoutLinks<T>(value: T): T {
  if (Array.isArray(value)) return value.map((one: unknown) => withoutLinks(one)) as T
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !links.has(name))
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutLinks(member as unknown)])) as T
}

/** Adds the redaction hook to all routes, including those added later. */
export function redactSecrets(app: FastifyInstance, service: Secrets): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!mustRedact(request)) return payload
    if (payload instanceof Readable) return isEventStream(reply) ? redactEvents(payload, service, request) : payload
    // Responses that are compressed in advance need no redaction: only the public price list is, and it contains no webhooks. Those of the
    // dashboard are compressed after this.
    if ((typeof payload !== 'string' && !Buffer.isBuffer(payload)) || reply.hasHeader('content-encoding'))
      return payload
    const secrets = await secretsFor(reply, service)
    const before = payload.toString()
    const text = redactJson(before, secrets, request)
    if (text === before) return payload
    if (reply.hasHeader('content-length')) reply.header('content-length', Buffer.byteLength(text))
    return text
  })
}

type Secrets = Pick<Service, 'secretTexts'>

/**
 * Returns the secrets to redact in a response. If the store fails, returns none for a 5xx response, because it contains no document. For
 * any other response it throws, because the response may contain a secret (e.g. a processor error that quotes the request).
 */
async function secretsFor({ statusCode }: FastifyReply, service: Secrets): Promise<SecretTexts> {
  try {
    return await service.secretTexts()
  } catch (error) {
    if (statusCode >= 500) return { variables: [], webhooks: [] }
    throw error
  }
}

const isEventStream = (reply: FastifyReply) => String(reply.getHeader('content-type')).startsWith('text/event-stream')

/**
 * Redacts secrets in an event stream. Each event arrives as one chunk. The secrets are read again for every chunk, because they may change
 * while the stream is open.
 */
function redactEvents(events: Readable, service: Secrets, request: FastifyRequest): Readable {
  async function* pieces() {
    for await (const piece of events) {
      const text = String(piece)
      // Leaves a heartbeat unchanged, because it contains no data.
      yield text.startsWith(':') && !text.includes('\ndata:')
        ? text
        : redactJson(text, await service.secretTexts(), request)
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

function mustRedact({ caller, url }: FastifyRequest): boolean {
  if (caller === null) return false
  if (url.startsWith(`${dashboardPath}/`)) return true
  return caller.scope === 'read'
}

/** Redacts what the caller of the request may not see. */
function redactJson(
  json: string,
  { variables, webhooks }: SecretTexts,
  { caller, routeOptions }: FastifyRequest,
): string {
  const isExact = caller?.scope === 'read' && exact.has(String(routeOptions.schema?.operationId))
  const named = isExact ? json : redactText(json, variables)
  return caller?.scope === 'read' ? redactText(named, [...webhooks, ...maskedIn(named)]) : named
}

/** Returns the URLs of webhooks in a response, also of endpoints and old revisions that no recent push contains. */
function maskedIn(json: string): readonly SecretText[] {
  if (!json.includes('webhook') || !/^[[{]/.test(json)) return []
  const found = new Map<string, string>()
  const collect = (value: unknown, within: boolean): void => {
    if (typeof value === 'string') {
      const shown = within && /^https?:/i.test(value) ? maskedUrl(value) : value
      if (shown !== value) found.set(value, shown)
    } else if (Array.isArray(value)) for (const one of value) collect(one, within)
    else if (typeof value === 'object' && value !== null) {
      const isWebhook = within || Object.values(value).some((one) => one === 'webhook' || isPlace(one))
      for (const [name, one] of Object.entries(value)) collect(one, isWebhook || name === 'webhooks')
    }
  }
  collect(JSON.parse(json), false)
  return [...found].map(([text, shown]) => ({ text, shown }))
}

/** True for a pointer to a webhook of a document, e.g. `#/webhooks/0/url` or `/webhooks/hooks_example/url`. */
const isPlace = (value: unknown) => typeof value === 'string' && /^#?\/webhooks(\/|$)/.test(value)

/** Redacts secrets in JSON text. Replaces the longest secret first, because one URL may be a prefix of another. */
export function redactText(json: string, secrets: readonly SecretText[]): string {
  const inside = (text: string) => JSON.stringify(text).slice(1, -1)
  return secrets
    .toSorted((a, b) => b.text.length - a.text.length)
    .reduce((shown, secret) => shown.replaceAll(inside(secret.text), () => inside(secret.shown)), json)
}
