import type { FastifyInstance } from 'fastify'
import type { Service } from '../../service/service.ts'
import { mayChange } from '../authentication/auth.ts'

/** Refused before anything was begun. */
const refusals = new Set([400, 401, 403, 404])

/** Pages that show what a request may have changed look again, whichever way it came. Noted before the answer goes out. */
export function noteChanges(scope: FastifyInstance, service: Pick<Service, 'noteChange'>): void {
  scope.addHook('onSend', async (request, reply) => {
    if (request.caller === null || refusals.has(reply.statusCode) || !mayChange(request)) return
    await service.noteChange().catch((error: unknown) => {
      // Pages see it later than they might; what was done stays done.
      request.log.warn({ err: error, request_id: request.id }, 'a change could not be noted for the dashboard')
    })
  })
}
