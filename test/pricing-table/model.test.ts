import { describe, expect, it } from 'vitest'
import { checkoutAddress, webAddress } from '../../packages/pricing-table/src/address.ts'
import {
  cardsOf,
  choicesOf,
  orderedProducts,
  perMonth,
  savingOf,
  tierRows,
  withOwnPrices,
} from '../../packages/pricing-table/src/model.ts'
import type { PriceList } from '../../packages/pricing-table/src/model.ts'
import { packs } from '../../packages/pricing-table/src/languages/all.ts'
import { de } from '../../packages/pricing-table/src/languages/de.ts'
import { inLanguage, unitFor } from '../../packages/pricing-table/src/translations.ts'
import { formatMoney, formatPercent } from '../../packages/pricing-table/src/money.ts'
import { fill, languages, periodName, periodWords, wordsFor } from '../../packages/pricing-table/src/words.ts'
import type { Price, Product } from '../../packages/ratecard/src/document/schema/schema.ts'

const monthly = (id: string, amount: number, more: Partial<Price> = {}): Price => ({
  id,
  amount,
  currency: 'eur',
  interval: 'month',
  ...more,
})
const product = (id: string, prices: Price[], more: Partial<Product> = {}): Product => ({
  id,
  name: id,
  prices,
  ...more,
})
const list = (...products: Product[]): PriceList => ({ products })
const offersOf = (whole: PriceList, period = 'month', currency = 'eur') =>
  cardsOf(whole, { period, currency }).flatMap(({ offers }) => offers)

describe('the content of the pricing table', () => {
  it('is sorted by sort_order, then by the order of products in the document, and can be limited to some products', () => {
    const products = [
      product('a', []),
      product('b', [], { ui: { sort_order: 2 } }),
      product('c', [], { ui: { sort_order: 1 } }),
    ]
    expect(orderedProducts(products).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
    expect(orderedProducts(products, ['a', 'b', 'nothing']).map(({ id }) => id)).toEqual(['b', 'a'])
  })

  it('shows attached prices with the price that sells them, and not as separate offers of the product', () => {
    const calls = monthly('calls', 10, { usage_type: 'metered', meter: 'calls' })
    const prices: PriceList = {
      meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
      products: [
        product('pro', [monthly('pro', 900, { attached_prices: ['calls', 'extra', 'gone'] }), monthly('extra', 200)]),
        product('usage', [calls], { unit_label: 'call' }),
      ],
    }
    const pro = prices.products.slice(0, 1)
    expect(cardsOf(prices, { period: 'month', currency: 'eur' }, pro).flatMap(({ offers }) => offers)).toMatchObject([
      {
        price: { id: 'pro' },
        attached: [
          { name: 'Calls', metered: true, unit: 'call', tariff: { amount: 10 } },
          { name: 'pro', metered: false, unit: null, tariff: { amount: 200 } },
        ],
      },
    ])
    expect(offersOf(prices).map(({ price }) => price.id)).toEqual(['pro', 'calls'])
    const own = { ...monthly('calls_gold', 5), usage_type: 'metered' as const, meter: 'calls' }
    const dear = withOwnPrices(prices, {
      prices: [
        { base_price_id: 'pro', price: monthly('pro_gold', 700) },
        { base_price_id: 'calls', price: own },
      ],
    })
    expect(offersOf(dear)[0]).toMatchObject({
      tariff: { amount: 700 },
      attached: [{ tariff: { amount: 5 } }, { tariff: { amount: 200 } }],
    })
  })

  it('offers each billing period and currency, with the shortest period first', () => {
    const prices = [
      monthly('y', 1, { interval: 'year' }),
      monthly('q', 1, { interval_count: 3, currency_options: { usd: { amount: 2 } } }),
      monthly('m', 1),
      { id: 'once', amount: 5, currency: 'gbp' as const },
      monthly('w', 1, { interval: 'week' }),
    ]
    expect(choicesOf([product('p', prices)])).toEqual({
      periods: ['week', 'month', '3 month', 'year'],
      currencies: ['eur', 'usd', 'gbp'],
    })
  })

  it('keeps the place of a product without a price in the chosen period, and shows the product’s other price', () => {
    const yearly = product('b', [monthly('b_y', 100, { interval: 'year' })])
    const shown = cardsOf(list(product('a', [monthly('a_m', 1)]), yearly), { period: 'month', currency: 'eur' })
    expect(shown.map(({ product: { id }, offers }) => [id, offers.map(({ price }) => price.id)])).toEqual([
      ['a', ['a_m']],
      ['b', ['b_y']],
    ])
  })

  it('shows one-time prices in each billing period', () => {
    const prices = [
      monthly('m', 1),
      monthly('y', 10, { interval: 'year' }),
      { id: 'setup', amount: 5, currency: 'eur' as const },
    ]
    expect(offersOf(list(product('p', prices))).map(({ price }) => price.id)).toEqual(['m', 'setup'])
  })

  it('distinguishes prices that are paid, free, on request, with a custom amount, and in another currency', () => {
    const kinds = offersOf(
      list(
        product('p', [
          monthly('money', 1200),
          monthly('decimal', 0, { amount: undefined as never, unit_amount_decimal: '0.05' }),
          monthly('free', 0),
          { id: 'ask', amount: 0, currency: 'eur' },
          { id: 'gift', currency: 'eur', custom_unit_amount: { preset: 500 } },
        ]),
        product('elsewhere', [monthly('dollars', 1, { currency: 'usd' })]),
      ),
    ).map(({ price, kind }) => [price.id, kind])
    expect(kinds).toEqual([
      ['money', 'money'],
      ['decimal', 'money'],
      ['free', 'free'],
      ['ask', 'request'],
      ['gift', 'open'],
      ['dollars', 'unavailable'],
    ])
  })
})

describe('a product on the pricing table, for a chosen currency,', () => {
  const usd = { currency: 'usd' as const }
  const ids = (prices: Parameters<typeof product>[1], period: string) =>
    cardsOf(list(product('p', prices)), { period, currency: 'eur' }).map(({ offers }) =>
      offers.map(({ price, kind }) => `${price.id} ${kind}`),
    )

  it('shows only the prices that are sold in that currency', () => {
    expect(ids([monthly('eur', 100), monthly('usd', 100, usd)], 'month')).toEqual([['eur money']])
  })

  it('shows the price of another billing period, if only that price is sold in that currency', () => {
    const yearly = monthly('eur_y', 1000, { interval: 'year' })
    expect(ids([monthly('usd_m', 100, usd), yearly], 'month')).toEqual([['eur_y money']])
  })

  it('shows one price as unavailable if no price is sold in that currency', () => {
    const yearly = monthly('usd_y', 1000, { ...usd, interval: 'year' })
    expect(ids([monthly('usd_m', 100, usd), yearly, monthly('usd_2', 9, usd)], 'year')).toEqual([['usd_y unavailable']])
  })
})

describe('the quantity slider of a price', () => {
  const tiers = [
    { up_to: 1000, unit_amount: 0 },
    { up_to: 'inf' as const, unit_amount: 3 },
  ]

  it('exists if the quantity changes the amount, and does not exist for a fixed price', () => {
    const metered = { usage_type: 'metered' as const, meter: 'calls' }
    const whole: PriceList = {
      meters: [{ id: 'calls', display_name: 'API calls', event_name: 'call' }],
      products: [
        product('p', [
          monthly('plan', 1200),
          monthly('tiered', 0, { amount: undefined as never, tiers, billing_scheme: 'tiered' }),
          monthly('metered', 2, metered),
          monthly('packs', 500, { transform_quantity: { divide_by: 100, round: 'up' } }),
        ]),
        product('seats', [monthly('seat', 900)], { unit_label: 'seat' }),
      ],
    }
    const ranges = Object.fromEntries(offersOf(whole).map(({ price, range, unit }) => [price.id, { range, unit }]))
    expect(ranges).toEqual({
      plan: { range: null, unit: null },
      tiered: { range: { least: 1, most: 2000, first: 1 }, unit: null },
      // A hundred calls are the smallest quantity that costs a whole euro.
      metered: { range: { least: 0, most: 2000, first: 100 }, unit: 'API calls' },
      packs: { range: { least: 1, most: 2000, first: 100 }, unit: null },
      seat: { range: { least: 1, most: 100, first: 1 }, unit: 'seat' },
    })
  })

  it('begins at the first quantity with a cost if the price is metered with free units', () => {
    const [offer] = offersOf(
      list(product('p', [monthly('u', 0, { amount: undefined as never, tiers, usage_type: 'metered', meter: 'x' })])),
    )
    expect(offer?.range?.first).toBeGreaterThan(1000)
  })

  it('lists each tier with its unit amount and flat amount', () => {
    expect(
      tierRows({
        tiers: [
          { up_to: 10, flat_amount: 500 },
          { up_to: 'inf', unit_amount_decimal: '0.5' },
        ],
      }),
    ).toEqual([
      { upTo: 10, unitAmount: '0', flatAmount: '500' },
      { upTo: null, unitAmount: '0.5', flatAmount: '0' },
    ])
  })
})

describe('the saving of a longer billing period', () => {
  const plan = (id: string, month: number, year: number) =>
    product(id, [monthly(`${id}_m`, month), monthly(`${id}_y`, year, { interval: 'year' })])

  it('is the largest saving over all products, in whole per cent, rounded down', () => {
    expect(savingOf([plan('a', 1000, 10_000), plan('b', 1000, 9000)], 'year', 'eur')).toEqual({
      percent: 25,
      same: false,
    })
    expect(savingOf([plan('a', 1000, 10_000)], 'year', 'eur')).toEqual({ percent: 16, same: true })
  })

  it('is absent for the shortest period, for a higher amount, and if no amounts can be compared', () => {
    expect(savingOf([plan('a', 1000, 10_000)], 'month', 'eur').percent).toBe(0)
    expect(savingOf([plan('a', 1000, 13_000)], 'year', 'eur').percent).toBe(0)
    expect(savingOf([product('a', [monthly('y', 1, { interval: 'year' })])], 'year', 'eur').percent).toBe(0)
    expect(savingOf([plan('a', 1000, 10_000)], 'year', 'usd').percent).toBe(0)
  })
})

describe('a tenant’s negotiated price on the pricing table', () => {
  it('replaces the base price, is sold under the base price’s id, and keeps its display hints', () => {
    const base = product('p', [monthly('m', 1200, { ui: { display_name: 'Monthly', features: ['x'] } })])
    const own = withOwnPrices(list(base), {
      prices: [{ base_price_id: 'm', price: monthly('m_gold', 900, { ui: { display_name: 'Gold' } }) }],
    })
    const [offer] = offersOf(own)
    expect(offer).toMatchObject({ own: true, price: { id: 'm', amount: 900 } })
    expect(offer?.price.ui).toEqual({ display_name: 'Gold', features: ['x'] })
  })
})

describe('addresses of the pricing table’s buttons', () => {
  const values = { price_id: 'pro monthly/1', quantity: 3 }
  it('have their placeholders replaced with escaped values', () => {
    expect(checkoutAddress('/buy?price={price_id}&n={quantity}', values, 'https://shop.example.test/a/')).toBe(
      'https://shop.example.test/buy?price=pro%20monthly%2F1&n=3',
    )
  })
  it('are refused if they run a script or are not http or https', () => {
    const hostile = [
      'javascript:alert({quantity})',
      ' java\nscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///x',
    ]
    for (const pattern of hostile) expect(checkoutAddress(pattern, values, 'https://shop.example.test/')).toBeNull()
    for (const text of [...hostile, '', 'pro.png']) expect(webAddress(text, 'about:blank')).toBeNull()
    expect(webAddress('https://example.test/a.png', 'about:blank')).toBe('https://example.test/a.png')
  })
})

describe('texts and numbers of the pricing table', () => {
  it('are in the language of the page, or else in English, and the site can override each text', () => {
    expect(wordsFor('de-AT', {}, de).free).toBe('Kostenlos')
    // Until the texts of the language are loaded, the table has those that it needs meanwhile.
    expect([wordsFor('de-AT').free, wordsFor('de-AT').retry]).toEqual(['Free', 'Erneut versuchen'])
    expect(wordsFor('tlh').free).toBe('Free')
    const own = wordsFor('ar', { free: 'مجاني', nothing: 'x', choose: 5, constructor: 'x' })
    expect([own.free, own.choose]).toEqual(['مجاني', 'Choose'])
    expect(Object.keys(own)).toEqual(Object.keys(wordsFor('en')))
  })
  it('exist in each language, with the placeholders that the English ones have', () => {
    const english: Readonly<Record<string, string>> = { ...wordsFor('en') }
    const placeholders = (text = '') => [...text.matchAll(/\{\w+\}/g)].map(([one]) => one).sort()
    expect(Object.keys(packs).sort()).toEqual(languages.filter((one) => one !== 'en').sort())
    for (const [language, pack] of Object.entries(packs))
      for (const [name, text] of Object.entries<string>({ ...pack }))
        expect({ language, name, has: placeholders(text) }).toEqual({
          language,
          name,
          has: placeholders(english[name]),
        })
  })
  it('include a name for each billing period', () => {
    const words = wordsFor('en')
    expect([
      periodName('month', words, 'en'),
      periodWords('year', words, 'en'),
      periodWords('3 month', words, 'en'),
    ]).toEqual(['Monthly', 'per year', 'every 3 months'])
    // The plural form of the locale, also where the built-in words are English.
    expect(periodWords('2 month', { ...words, perSeveral: 'co {span}' }, 'pl')).toBe('co 2 miesiące')
    expect(periodWords('6 month', { ...words, perSeveral: 'co {span}' }, 'pl')).toBe('co 6 miesięcy')
    expect(fill('{a} of {b}', { a: 1 })).toBe('1 of {b}')
  })
  it('format money for the locale without losing a digit', () => {
    expect(formatMoney(1200n, 'eur', 'en')).toBe('€12.00')
    expect(formatMoney('0.05', 'usd', 'en')).toBe('$0.0005')
    expect(formatMoney(500n, 'jpy', 'en')).toBe('¥500')
    expect(formatMoney(1234n, 'kwd', 'en').replaceAll(/\s/g, ' ')).toBe('KWD 1.234')
    expect(formatMoney(250_000n, 'vnd', 'en')).toBe('₫250,000')
    expect(formatMoney(1234n, 'xyz', 'en')).toBe('XYZ 1234 minor units')
    expect(formatMoney(123_456n, 'eur', 'de').replaceAll(/\s/g, ' ')).toBe('1.234,56 €')
    expect(formatMoney(1200n, 'eur', 'en', { showCurrency: false })).toBe('12.00')
    const trimsZeros = true
    expect(formatMoney(1200n, 'eur', 'en', { trimsZeros })).toBe('€12')
    expect(formatMoney(1250n, 'eur', 'en', { trimsZeros })).toBe('€12.50')
    expect(formatMoney('0.05', 'usd', 'en', { trimsZeros })).toBe('$0.0005')
    expect(formatMoney(9_007_199_254_740_993n, 'usd', 'en')).toBe('$90,071,992,547,409.93')
    expect(formatPercent(17, 'en')).toBe('17%')
  })
})

describe('a longer billing period on the pricing table', () => {
  it('has an amount per month, rounded half up, if the period is a whole number of months', () => {
    expect(perMonth(14_000n, 'year')).toBe(1167n)
    expect(perMonth(3_000n, '3 month')).toBe(1000n)
    expect(perMonth(5n, '2 month')).toBe(3n)
    expect([perMonth(100n, 'month'), perMonth(100n, 'week'), perMonth(100n, 'once')]).toEqual([null, null, null])
  })
})

describe('the texts of the price list in several languages', () => {
  const unit = { one: 'miejsce', few: 'miejsca', many: 'miejsc', other: 'miejsca' }
  const sold = product(
    'studio',
    [monthly('m', 100, { ui: { display_name: 'Monthly', limits: [{ value: 5, unit: 'seats' }] } })],
    {
      ui: { tagline: 'For teams', badge: 'Popular', translations: { pl: { tagline: 'Dla zespołów', unit } } },
    },
  )
  const price = sold.prices?.[0]
  if (price !== undefined)
    Object.assign(price.ui ?? {}, { translations: { 'pt-BR': { custom_text: 'Fale conosco', limits: ['5 lugares'] } } })

  it('are in the page’s locale or else its language, and in the original language if a translation is missing', () => {
    const ui = (locale: string) => inLanguage(list(sold), locale).products[0]?.ui
    expect(ui('pl-PL')).toMatchObject({ tagline: 'Dla zespołów', badge: 'Popular' })
    expect(ui('en')).toMatchObject({ tagline: 'For teams' })
    const inBrazil = inLanguage(list(sold), 'pt-br').products[0]?.prices?.[0]?.ui
    expect(inBrazil).toMatchObject({ price_display: { custom_text: 'Fale conosco' }, limits: [{ text: '5 lugares' }] })
    expect(inLanguage(list(sold), 'pt').products[0]?.prices?.[0]?.ui?.limits).toEqual([{ value: 5, unit: 'seats' }])
  })
  it('have the plural form of the quantity', () => {
    const [offer] = offersOf(inLanguage(list({ ...sold, unit_label: 'seat' }), 'pl'))
    expect(offer?.unit).toEqual(unit)
    expect([1, 3, 5, 22, 100].map((quantity) => unitFor(unit, quantity, 'pl'))).toEqual([
      'miejsce',
      'miejsca',
      'miejsc',
      'miejsca',
      'miejsc',
    ])
  })
})
