// Refused promotion codes of a tenant, counted by several replicas on one store.
import { describe, expect, test } from 'vitest'
import { refusedCodesPerHour } from '../../../packages/ratecard/src/api/server/limits.ts'
import { countingRefusedCodes } from '../../../packages/ratecard/src/customers/checkout/refused-codes.ts'
import { invalidCheckout } from '../../../packages/ratecard/src/customers/checkout/invalid.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { type MakePlace, refusedBy } from '../../support/stores/store.ts'

const minute = 60_000
const start = Date.parse('2031-05-01T00:00:00Z')

export function refusedCodesContract(engine: string, makePlace: MakePlace): void {
  describe(`attempts with refused promotion codes on ${engine}`, () => {
    const world = async () => {
      const place = await makePlace()
      const stores = [await place.open(), await place.open()]
      const time = { now: start }
      const wallClock = { now: () => time.now }
      const shutdown = new AbortController().signal
      const attempt = (replica: number, tenantId: string, work: () => Promise<string>) => {
        const store = stores[replica % 2]
        if (store === undefined) throw new Error('no such replica')
        return countingRefusedCodes({ store, wallClock, shutdown }, tenantId, work)
      }
      return { time, attempt }
    }
    const refuse = () => Promise.reject(invalidCheckout('promotion_code', 'no such code'))
    const sell = () => Promise.resolve('sold')

    test('are limited across all replicas, even if they are made concurrently', async () => {
      const { time, attempt } = await world()
      const ended = await Promise.allSettled(
        Array.from({ length: refusedCodesPerHour + 6 }, (_, n) => attempt(n, 'acme', refuse)),
      )
      const codes = ended.map((end) => (end.status === 'rejected' ? (end.reason as ServiceError).code : 'fulfilled'))
      expect(codes.filter((code) => code === 'checkout_invalid')).toHaveLength(refusedCodesPerHour)
      expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(6)
      time.now += 10 * minute
      for (const replica of [0, 1])
        expect(await refusedBy(attempt(replica, 'acme', sell))).toMatchObject({
          code: 'rate_limited',
          retryAfter: 3_000,
        })
      expect(await attempt(0, 'other', sell)).toBe('sold')
      time.now += 50 * minute
      expect(await attempt(1, 'acme', sell)).toBe('sold')
    })

    test('count for one hour, so that attempts over a longer time are not limited', async () => {
      const { time, attempt } = await world()
      for (let n = 0; n < 3 * refusedCodesPerHour; n++) {
        expect((await refusedBy(attempt(n, 'acme', refuse))).code).toBe('checkout_invalid')
        time.now += 6 * minute
      }
    })

    test('count if Ratecard or the processor refuses the code, but not if the request fails for any other reason', async () => {
      const { attempt } = await world()
      const failWith = (code: 'price_not_found' | 'processor_rejected' | 'processor_unavailable') => () =>
        Promise.reject(new ServiceError(code, 'no'))
      for (let n = 0; n < 2 * refusedCodesPerHour; n++) {
        await refusedBy(attempt(n, 'acme', failWith('price_not_found')))
        await refusedBy(attempt(n, 'acme', failWith('processor_unavailable')))
      }
      for (let n = 0; n < refusedCodesPerHour; n++) await refusedBy(attempt(n, 'acme', failWith('processor_rejected')))
      expect((await refusedBy(attempt(0, 'acme', sell))).code).toBe('rate_limited')
    })
  })
}
