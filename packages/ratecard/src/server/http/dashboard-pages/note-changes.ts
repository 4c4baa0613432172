import type { FastifyInstance } from 'fastify'
import { mayChange } from '../authentication/auth.ts'
import type { Service } from '../../service/service.ts'

/** Statuses of requests that were refused before any change. */
const refusals = new Set([400, 401, 403, 404])

/**
 * Adds a hook that notifies dashboard pages of a possible change of state, no matter which client sent the request. The hook runs before
 * the response is sent.
 */
export function noteChanges(scope: FastifyInstance, service: Pick<Service, 'noteChange'>): void {
  scope.addHook('onSend', async (request, reply) => {
    if (request.caller === null || refusals.has(reply.statusCode) || !mayChange(request)) return
    await service.noteChange().catch((error: unknown) => {
      // A failure is only logged, because the request itself has succeeded. Pages then show the change later.
      request.log.warn({ err: error, request_id: request.id }, 'a change could not be noted for the dashboard')
    })
  })
}
