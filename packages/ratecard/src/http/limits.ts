import { BlockList, isIPv6 } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'

/** Counts what an address may do only so often: failed authentication and writes without a key. */
export interface AddressGuard {
  /** Throws `rate_limited` once the address is over its limit. Callers with a valid key are never counted. */
  count(request: FastifyRequest): Promise<void>
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Also for text that is no address: then it is not. */
export function isLoopback(address: string): boolean {
  const mapped = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return loopback.check(mapped, isIPv6(mapped) ? 'ipv6' : 'ipv4')
}

export async function createAddressGuard(app: FastifyInstance, perMinute: number): Promise<AddressGuard> {
  await app.register(rateLimit, { global: false })
  const check = app.createRateLimit({
    max: perMinute,
    timeWindow: 60_000,
    allowList: (request) => isLoopback(request.ip),
  })
  return {
    async count(request) {
      const state = await check(request)
      if (state.isAllowed || !state.isExceeded) return
      throw new ServiceError(
        'rate_limited',
        `More than ${String(perMinute)} such requests a minute came from this address.`,
        {
          retryAfter: Math.max(1, state.ttlInSeconds),
        },
      )
    },
  }
}
