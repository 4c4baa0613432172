import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { clientNet, isLoopback, plainAddress, type ClientAddress } from './client-address.ts'

/**
 * Actions of a client address that are rate-limited. Each action has its own counter. So e.g. failed authentications do not block price
 * calculations.
 */
export type Bucket = 'failed_authentication' | 'public_call' | 'refused_delivery'

export interface AddressGuard {
  /**
   * Counts the request, and throws `rate_limited` once the client's address exceeds its limit. Requests with a valid key must not be
   * counted.
   */
  count(request: FastifyRequest, bucket: Bucket): Promise<void>
}

const words: Readonly<Record<Bucket, string>> = {
  failed_authentication: 'failed authentications',
  public_call: 'calls without a key',
  refused_delivery: 'deliveries without a valid signature',
}

export async function createAddressGuard(
  app: FastifyInstance,
  perMinute: number,
  addressOf: ClientAddress,
): Promise<AddressGuard> {
  await app.register(rateLimit, { global: false })
  // Each call creates a limiter with its own counters, so that different actions are counted separately.
  const limiter = () =>
    app.createRateLimit({
      max: perMinute,
      timeWindow: 60_000,
      allowList: (request) => isLoopback(addressOf(request.raw)),
      keyGenerator: (request) => clientNet(addressOf(request.raw)),
    })
  const limiters: Readonly<Record<Bucket, ReturnType<typeof limiter>>> = {
    failed_authentication: limiter(),
    public_call: limiter(),
    refused_delivery: limiter(),
  }
  let told = false
  /**
   * Warns once about a proxy that is not trusted. The service ignores its `X-Forwarded-For`, so all clients behind the proxy share one rate
   * limit. This is hard to diagnose without the warning.
   */
  const tell = (request: FastifyRequest) => {
    if (told || request.headers['x-forwarded-for'] === undefined) return
    const address = request.socket.remoteAddress ?? ''
    if (addressOf(request.raw) !== plainAddress(address)) return
    told = true
    request.log.warn(
      `Requests from ${address} come with X-Forwarded-For, which is ignored. If this is your proxy, add it to RATECARD_TRUSTED_PROXIES.`,
    )
  }
  return {
    async count(request, bucket) {
      tell(request)
      const state = await limiters[bucket](request)
      if (state.isAllowed || !state.isExceeded) return
      throw new ServiceError(
        'rate_limited',
        `More than ${String(perMinute)} ${words[bucket]} per minute came from this client address.`,
        { retryAfter: Math.max(1, state.ttlInSeconds) },
      )
    },
  }
}
