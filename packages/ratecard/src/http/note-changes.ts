import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'
import { mayChange } from './auth.ts'

/** Pages that show what a request may have changed look again, whichever way it came. */
export function noteChanges(scope: FastifyInstance, service: Pick<Service, 'noteChange'>): void {
  scope.addHook('onResponse', async (request) => {
    if (request.caller === null || !mayChange(request)) return
    await service.noteChange().catch((error: unknown) => {
      // Pages see it later than they might; what was done stays done.
      request.log.warn({ err: error, request_id: request.id }, 'a change could not be noted for the dashboard')
    })
  })
}
