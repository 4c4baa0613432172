import { describe, expect, it } from 'vitest'
import { limitText } from '../../packages/pricing-table/src/limit-text.ts'
import { fr } from '../../packages/pricing-table/src/languages/fr.ts'
import { limitsOf } from '../../packages/pricing-table/src/limits.ts'
import { cardsOf } from '../../packages/pricing-table/src/model.ts'
import type { View } from '../../packages/pricing-table/src/view.ts'
import { wordsFor } from '../../packages/pricing-table/src/words.ts'
import type { Feature, ProductFeature } from '../../packages/ratecard/src/document/schema/feature-schema.ts'
import type { Price } from '../../packages/ratecard/src/document/schema/schema.ts'

const features: readonly Feature[] = [
  { id: 'projects', name: 'Projects', type: 'limit', unit: { one: 'project', other: 'projects' } },
  { id: 'calls', name: 'API calls', type: 'metered', meter: 'api_calls', unit: 'API calls' },
  { id: 'seats', name: 'Seats', type: 'limit', unit: 'seats' },
  { id: 'storage', name: 'Storage', type: 'limit' },
  { id: 'sso', name: 'Single sign-on' },
]

/** Returns the texts of the limits that the card of a product shows. */
function texts(given: readonly ProductFeature[], locale = 'en', price: Partial<Price> = {}): string[] {
  const prices = [{ id: 'p', amount: 100, currency: 'usd' as const, interval: 'month' as const, ...price }]
  const products = [{ id: 'pro', name: 'Pro', unit_label: 'seat', features: [...given], prices }]
  const [card] = cardsOf({ products, features }, { period: price.interval ?? 'month', currency: 'usd' })
  if (card === undefined) throw new Error('There is no card.')
  const view = { words: wordsFor(locale, {}, locale.startsWith('fr') ? fr : {}), locale } as View
  return card.limits.map((limit) => limitText(limit, card, view))
}

describe('a limit of a product on the pricing table', () => {
  it('has the number and the unit, in the plural form and number format of the locale', () => {
    expect(texts([{ id: 'projects', limit: 10 }])).toEqual(['10 projects'])
    expect(texts([{ id: 'projects', limit: 1 }])).toEqual(['1 project'])
    expect(texts([{ id: 'seats', limit: 12_000 }])).toEqual(['12,000 seats'])
    expect(texts([{ id: 'seats', limit: 12_000 }], 'de-DE')).toEqual(['12.000 seats'])
  })

  it('contains the period after which the usage is reset to zero', () => {
    const calls = { id: 'calls', limit: 50_000 } as const
    expect(texts([calls])).toEqual(['50,000 API calls a month'])
    expect(texts([calls], 'en', { interval: 'year' })).toEqual(['50,000 API calls a year'])
    expect(texts([calls], 'fr')[0]).toMatch(/^50\s000 API calls par mois$/u)
    expect(texts([{ ...calls, resets: 'month' }], 'en', { interval: 'year' })).toEqual(['50,000 API calls a month'])
    expect(texts([{ ...calls, resets: 'never' }])).toEqual(['50,000 API calls'])
  })

  it('is shown as unlimited, as a number per purchased unit, or with the name of a feature without a unit', () => {
    expect(texts([{ id: 'seats', limit: 'unlimited' }])).toEqual(['Unlimited seats'])
    expect(texts([{ id: 'projects', limit: 3, per_quantity: true }])).toEqual(['3 projects per seat'])
    expect(texts([{ id: 'storage', limit: 5 }])).toEqual(['Storage: 5'])
    expect(texts([{ id: 'storage', limit: 'unlimited' }])).toEqual(['Storage: unlimited'])
  })

  it('is not shown for a feature that is a switch, or for an unknown feature', () => {
    expect(limitsOf(['sso', { id: 'other', limit: 1 }], features)).toEqual([])
  })
})
