// Grants and reported usage, written by several replicas on one store.
import { describe, expect, test } from 'vitest'
import type { UsageFormula } from '../../../packages/ratecard/src/store/feature-store.ts'
import { decimalFromInteger, compareDecimals, parseDecimal } from '../../../packages/ratecard/src/money/decimal.ts'
import type { MakePlace } from '../../support/store.ts'

const day = 86_400_000
const start = Date.UTC(2031, 4, 10)

export function featuresContract(engine: string, makePlace: MakePlace): void {
  describe(`reported usage on ${engine}`, () => {
    const world = async () => {
      const place = await makePlace()
      const stores = [await place.open(), await place.open()] as const
      const report = (identifier: string, value: string, usedAt = start) => ({
        ...{ tenantId: 'acme', meter: 'api_call', identifier, value, usedAt, createdAt: usedAt },
        rangeStart: Math.floor(usedAt / day) * day,
      })
      const used = (formula: UsageFormula = 'sum', from = start, to: number | null = null) =>
        stores[1].usage.used('acme', 'api_call', formula, { from, to })
      return { stores, report, used }
    }
    const atMost = (limit: number) => ({
      window: { from: start, to: null },
      allows: (total: string) => compareDecimals(parseDecimal(total), decimalFromInteger(limit)) <= 0,
    })

    test('never passes a limit, over all replicas and at once', async () => {
      const { stores, report, used } = await world()
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          stores[index % 2 === 0 ? 0 : 1].usage.hold(report(`r${String(index)}`, '2.5'), 'sum', [atMost(50)]),
        ),
      )
      expect(outcomes.filter(({ outcome }) => outcome === 'held')).toHaveLength(20)
      expect(await used()).toBe('50')
    })

    test('counts an identifier once, and no longer after it was released', async () => {
      const { stores, report, used } = await world()
      const { usage } = stores[0]
      expect(await usage.hold(report('one', '7'), 'sum', [])).toEqual({ outcome: 'held', state: 'held' })
      expect(await usage.hold(report('one', '7'), 'sum', [])).toEqual({ outcome: 'known', state: 'held' })
      expect(await used()).toBe('7')
      await usage.release(report('one', '7'), 'sum')
      expect(await used()).toBe('0')
      await usage.hold(report('one', '7'), 'sum', [])
      await usage.sent(report('one', '7'))
      await usage.release(report('one', '7'), 'sum')
      expect(await used()).toBe('7')
    })

    test('is the sum, the number or the last value within a window', async () => {
      for (const [formula, total] of [
        ['sum', '6'],
        ['count', '2'],
        ['last', '4'],
      ] as const) {
        const { stores, report, used } = await world()
        await stores[0].usage.hold(report('before', '9', start - day), formula, [])
        await stores[0].usage.hold(report('second', '4', start + day), formula, [])
        await stores[0].usage.hold(report('first', '2', start), formula, [])
        await stores[0].usage.hold(report('after', '9', start + 5 * day), formula, [])
        expect(await used(formula, start, start + 5 * day)).toBe(total)
      }
    })

    test('on the last value, a release restores the value before it', async () => {
      const { stores, report, used } = await world()
      await stores[0].usage.hold(report('one', '3', start + 1), 'last', [])
      await stores[0].usage.hold(report('two', '8', start + 2), 'last', [])
      expect(await used('last')).toBe('8')
      await stores[0].usage.release(report('two', '8', start + 2), 'last')
      expect(await used('last')).toBe('3')
    })
  })
}
