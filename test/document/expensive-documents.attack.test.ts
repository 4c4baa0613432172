// Documents that are expensive to validate delay other requests to the thread that validates large documents. The cost is CPU time relative
// to a valid document of the same size, so the speed of the machine does not matter.
import { describe, expect, it } from 'vitest'
import { maxCollectedIssues } from '../../packages/ratecard/src/document/validation/limits.ts'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const named = <T>(count: number, make: (index: number) => readonly [string, T]) => Object.fromEntries(many(count, make))
const price = (id: string, more = {}) => ({ id, currency: 'eur', amount: 1_000, interval: 'month', ...more })
const shop = (prices: readonly unknown[], more = {}) => ({
  version: '1.0.0',
  products: [{ id: 'pro', name: 'Pro', prices }],
  ...more,
})

function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const sound = shop(many(10_000, (index) => price(`price_${String(index)}`)))

/** Limit as a multiple of the cost of a valid document. Measured: up to about five. */
const most = 15

/** Each of these once took seconds to minutes, growing with the square of its size. */
const dear: readonly (readonly [string, unknown])[] = [
  [
    'an id of megabytes that thousands of mistakes name',
    {
      version: '1.0.0',
      products: [{ id: 'x'.repeat(1_000_000), name: 'Pro', prices: many(8_000, () => price('a', { default: true })) }],
    },
  ],
  [
    'an interval of megabytes that thousands of prices are compared with',
    shop([
      price('base', { interval: many(100_000, () => 1) }),
      ...many(8_000, (index) => ({ id: `base_${String(index)}`, enterprise_id: `e${String(index)}` })),
    ]),
  ],
  [
    'very many currencies that thousands of prices are compared in',
    shop([
      price('base', { currency_options: named(900, (index) => [`c${String(index)}`, 0]) }),
      ...many(8_000, (index) => ({ id: `base_${String(index)}`, enterprise_id: `e${String(index)}` })),
    ]),
  ],
  [
    'very many tiers that each currency is compared with',
    shop([
      price('base', {
        tiers: many(40_000, (index) => ({ up_to: index + 1, unit_amount: 1 })),
        currency_options: named(900, (index) => [`c${String(index)}`, { tiers: [] }]),
      }),
    ]),
  ],
  [
    'long words that are nearly those of very many others',
    shop(
      many(200, (index) =>
        price(`p${String(index)}`, { usage_type: 'metered', meter: 'ab'.repeat(48) + String(index) }),
      ),
      { meters: many(500, (index) => ({ id: 'ba'.repeat(48) + String(index) })) },
    ),
  ],
  ['a flaw in each of very many texts', { version: '1.0.0', products: many(60_000, () => ({ id: '\u0001' })) }],
  ['one id for everything', { version: '1.0.0', products: many(60_000, () => ({ id: 'same', name: 5, prices: 7 })) }],
]

describe('the validation of a document full of errors', () => {
  it.each(dear)('takes no more CPU time than the validation of a large valid document: %s', (_name, document) => {
    // The minimum of several runs, because a garbage collection or a cold cache may slow one of them down.
    let [cost, yardstick] = [Infinity, Infinity]
    for (let round = 0; round < 5 && !(cost < yardstick * most); round++) {
      // Warms up both validations first.
      if (round === 0) cpuOf(() => validateConfig(sound))
      yardstick = Math.min(
        yardstick,
        cpuOf(() => validateConfig(sound)),
      )
      cost = Math.min(
        cost,
        cpuOf(() => validateConfig(document)),
      )
    }
    expect(cost).toBeLessThan(yardstick * most)
    const { valid, errors } = validateConfig(document)
    expect(valid).toBe(false)
    expect(errors.every(({ detail, pointer }) => detail.length < 1_000 && pointer.length < 1_000)).toBe(true)
  })

  it('the response for more than 1,000 errors states that there are more', () => {
    const { errors } = validateConfig({ version: '1.0.0', products: many(60_000, () => ({ id: 'same' })) })
    expect(errors).toHaveLength(1_001)
    expect(errors.at(-1)).toMatchObject({ code: 'issues_truncated', pointer: '#' })
    expect(errors[0]?.pointer.startsWith('#/products/0')).toBe(true)
  })

  it('a single error among thousands of warnings is still reported', () => {
    const lonely = many(maxCollectedIssues + 100, (index) =>
      price(`lonely${String(index)}`, { enterprise_id: `e${String(index)}` }),
    )
    const { valid, errors, warnings } = validateConfig(
      shop([...lonely, price('last', { enterprise_id: 'last', base_price: 'nobody' })]),
    )
    expect([valid, errors.map(({ code }) => code)]).toEqual([false, ['base_price_undefined']])
    expect(warnings.at(-1)?.code).toBe('issues_truncated')
  })
})
