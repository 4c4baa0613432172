// Redacts secrets in webhook URLs. Responses to read-only keys and to dashboard pages contain the variable's name (e.g.
// `${WEBHOOK_ORIGIN}`) in place of its value.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SecretText } from '../../../document/files/written-form.ts'
import type { Service } from '../../../api/service/service.ts'
import { dashboardPath } from '../dashboard-pages/paths.ts'

/**
 * Operations that return a document for further use. Their responses are not redacted, because variable names in place of values would
 * change the document.
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
    if (payload instanceof Readable) return isEventStream(reply) ? redactEvents(payload, service) : payload
    // Compressed responses need no redaction: only the public price list is compressed, and it contains no webhooks.
    if ((typeof payload !== 'string' && !Buffer.isBuffer(payload)) || reply.hasHeader('content-encoding'))
      return payload
    const secrets = await secretsFor(reply, service)
    if (secrets.length === 0) return payload
    const text = redactText(payload.toString(), secrets)
    if (reply.hasHeader('content-length')) reply.header('content-length', Buffer.byteLength(text))
    return text
  })
}

type Secrets = Pick<Service, 'secretTexts'>

/**
 * Returns the secrets to redact in a response. If the store fails, returns none for a 5xx response, because it contains no document. For
 * any other response it throws, because the response may contain a secret (e.g. a processor error that quotes the request).
 */
async function secretsFor({ statusCode }: FastifyReply, service: Secrets): Promise<readonly SecretText[]> {
  try {
    return await service.secretTexts()
  } catch (error) {
    if (statusCode >= 500) return []
    throw error
  }
}

const isEventStream = (reply: FastifyReply) => String(reply.getHeader('content-type')).startsWith('text/event-stream')

/**
 * Redacts secrets in an event stream. Each event arrives as one chunk. The secrets are read again for every chunk, because they may change
 * while the stream is open.
 */
function redactEvents(events: Readable, service: Secrets): Readable {
  async function* pieces() {
    for await (const piece of events) {
      const text = String(piece)
      // Leaves a heartbeat unchanged, because it contains no data.
      yield text.startsWith(':') && !text.includes('\ndata:') ? text : redactText(text, await service.secretTexts())
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

function mustRedact({ caller, url, routeOptions }: FastifyRequest): boolean {
  if (caller === null) return false
  if (url.startsWith(`${dashboardPath}/`)) return true
  return caller.scope === 'read' && !exact.has(String(routeOptions.schema?.operationId))
}

/** Redacts secrets in JSON text. Replaces the longest secret first, because one URL may be a prefix of another. */
export function redactText(json: string, secrets: readonly SecretText[]): string {
  const inside = (text: string) => JSON.stringify(text).slice(1, -1)
  return secrets
    .toSorted((a, b) => b.text.length - a.text.length)
    .reduce((shown, secret) => shown.replaceAll(inside(secret.text), () => inside(secret.shown)), json)
}
