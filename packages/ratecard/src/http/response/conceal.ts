// Secrets of an environment within a webhook's URL are shown by their names to whoever only looks: a key that may read, and pages.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SecretText } from '../../config/files/written-form.ts'
import type { Service } from '../../service/service.ts'
import { dashboardPath } from '../dashboard/paths.ts'

/** These give a document, to be used as one: a name in place of a value would make another document of it. */
const exact = new Set(['getFullConfig', 'pullConfig', 'getRevision'])

/** For every route, those to come as well. */
export function concealSecrets(app: FastifyInstance, service: Pick<Service, 'secretTexts'>): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if ((typeof payload !== 'string' && !Buffer.isBuffer(payload)) || !onlyLooks(request)) return payload
    // Only what is public is kept compressed: it has no webhooks. A failure of ours has no document in it, and may be the store's.
    if (reply.hasHeader('content-encoding') || reply.statusCode >= 500) return payload
    const secrets = await service.secretTexts()
    if (secrets.length === 0) return payload
    const text = concealed(payload.toString(), secrets)
    if (reply.hasHeader('content-length')) reply.header('content-length', Buffer.byteLength(text))
    return text
  })
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
