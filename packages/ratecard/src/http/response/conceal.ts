// Secrets of an environment within a webhook's URL are shown by their names to whoever only looks: a key that may read, and pages.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SecretText } from '../../config/files/written-form.ts'
import type { Service } from '../../service/service.ts'
import { dashboardPath } from '../dashboard-pages/paths.ts'

/** These give a document, to be used as one: a name in place of a value would make another document of it. */
const exact = new Set(['getFullConfig', 'pullConfig', 'getRevision'])

/** For every route, those to come as well. */
export function concealSecrets(app: FastifyInstance, service: Secrets): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!onlyLooks(request)) return payload
    if (payload instanceof Readable) return isEventStream(reply) ? concealedEvents(payload, service) : payload
    // Only what is public is kept compressed: it has no webhooks.
    if ((typeof payload !== 'string' && !Buffer.isBuffer(payload)) || reply.hasHeader('content-encoding'))
      return payload
    const secrets = await secretsFor(reply, service)
    if (secrets.length === 0) return payload
    const text = concealed(payload.toString(), secrets)
    if (reply.hasHeader('content-length')) reply.header('content-length', Buffer.byteLength(text))
    return text
  })
}

type Secrets = Pick<Service, 'secretTexts'>

/** A failure of ours may be the store's, and then has no document in it; one of the processor may repeat what it was sent. */
async function secretsFor({ statusCode }: FastifyReply, service: Secrets): Promise<readonly SecretText[]> {
  try {
    return await service.secretTexts()
  } catch (error) {
    if (statusCode >= 500) return []
    throw error
  }
}

const isEventStream = (reply: FastifyReply) => String(reply.getHeader('content-type')).startsWith('text/event-stream')

/** Each event comes in one piece. A stream may go on for longer than a secret is known: every piece is held against all there are. */
function concealedEvents(events: Readable, service: Secrets): Readable {
  async function* pieces() {
    for await (const piece of events) {
      const text = String(piece)
      // A heartbeat says nothing.
      yield text.startsWith(':') && !text.includes('\ndata:') ? text : concealed(text, await service.secretTexts())
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

function onlyLooks({ caller, url, routeOptions }: FastifyRequest): boolean {
  if (caller === null) return false
  if (url.startsWith(`${dashboardPath}/`)) return true
  return caller.scope === 'read' && !exact.has(String(routeOptions.schema?.operationId))
}

/** In JSON text. The longest first: one URL may begin another. */
export function concealed(json: string, secrets: readonly SecretText[]): string {
  const inside = (text: string) => JSON.stringify(text).slice(1, -1)
  return secrets
    .toSorted((a, b) => b.text.length - a.text.length)
    .reduce((shown, secret) => shown.replaceAll(inside(secret.text), () => inside(secret.shown)), json)
}
