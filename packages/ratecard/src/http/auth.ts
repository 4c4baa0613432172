// Who is calling. Runs in onRequest, so that a caller without a key is answered before a byte of the body is read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'
import type { Service, ServiceKey } from '../service.ts'
import type { AddressGuard } from './limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The valid service key that came with the request. */
    caller: ServiceKey | null
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export interface Authentication {
  /** Admin routes: no valid key, no answer. */
  readonly required: Hook
  /** Public routes: a valid key shows more; a wrong one is a mistake that the caller wants to hear of. */
  readonly optional: Hook
}

export function createAuthentication(service: Pick<Service, 'authenticate'>, guard: AddressGuard): Authentication {
  async function optional(request: FastifyRequest): Promise<void> {
    const key = request.headers['x-service-key']
    if (key === undefined || key === '') return
    const caller = typeof key === 'string' ? await service.authenticate(key) : null
    if (caller === null) {
      await guard.count(request)
      throw new ServiceError('service_key_invalid', 'The key in X-Service-Key is not a valid service key.')
    }
    request.caller = caller
  }

  return {
    optional,
    async required(request) {
      await optional(request)
      if (request.caller !== null) return
      await guard.count(request)
      throw new ServiceError('service_key_missing', 'This route needs the header X-Service-Key.', {
        hint: 'Send a service key in X-Service-Key.',
      })
    },
  }
}
