// During a push, one list or object of a response is null. The push succeeds or fails with processor_broken, and the next push repairs
// everything without a duplicate.
import { expect, it } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { ServiceError } from '../../packages/ratecard/src/base/errors/service-error.ts'
import { parts, rewritingProxy, withPart, type Answered, type Place } from '../support/programs/rewriting-proxy.ts'
import { nobody, startStack } from '../support/stack.ts'
import { sandboxForTest } from '../support/sandbox.ts'

const document: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  features: [{ id: 'sso', name: 'Single sign-on' }],
  products: [
    {
      id: 'pro',
      name: 'Pro',
      features: ['sso'],
      images: ['https://example.com/1.png'],
      marketing_features: ['Fast'],
      package_dimensions: { height: 1, length: 2, weight: 3, width: 4 },
      prices: [
        {
          id: 'pro_calls',
          currency: 'eur',
          interval: 'month',
          usage_type: 'metered',
          meter: 'calls',
          billing_scheme: 'tiered',
          tiers: [
            { up_to: 10, unit_amount: 5 },
            { up_to: 'inf', unit_amount: 2 },
          ],
        },
        {
          id: 'pro_monthly',
          amount: 100,
          currency: 'eur',
          interval: 'month',
          currency_options: { usd: { amount: 120 } },
        },
      ],
    },
  ],
  coupons: [{ id: 'welcome', percent_off: 10, duration: 'once', applies_to: ['pro'] }],
  promotion_codes: [{ id: 'hello', code: 'HELLO', coupon: 'welcome' }],
  webhooks: [{ id: 'hook', url: 'https://a.example.com/hook', events: ['invoice.paid'] }],
}

/** Key of a request without ids. */
const kindOf = ({ method, path }: Answered): string =>
  `${method} ${path.replace(/\/(prod|price|mtr|feat|promo|we|we_1|acct)_[^/]+|\/(?:ratecard|pro|welcome)[^/]*$/g, '/:id')}`
const nameOf = (place: Place): string => place.map((part) => (typeof part === 'number' ? '[]' : part)).join('.')

it(
  'a null in place of any member of a response makes a push fail with processor_broken at worst, and the next push repairs it',
  { timeout: 120_000 },
  async () => {
    const sandbox = await sandboxForTest()
    const proxy = await rewritingProxy(sandbox.port)
    let accounts = 0
    const open = async (apiBase?: string, secretKey = `sk_test_nulls${String(++accounts)}xxxxxxxx`) => ({
      secretKey,
      stack: await startStack({ sandbox, secretKey, ...(apiBase === undefined ? {} : { apiBase }) }),
    })

    const places = new Map<string, { readonly of: string; readonly place: Place }>()
    proxy.rewrite((said) => {
      for (const place of parts(said.body)) {
        const of = kindOf(said)
        const key = `${of} ${nameOf(place)}`
        if (!places.has(key)) places.set(key, { of, place })
      }
      return said.body
    })
    const first = await open(proxy.url)
    await first.stack.service.push(document, nobody)
    await first.stack.service.push(document, nobody)
    await first.stack.close()
    expect(places.size).toBeGreaterThan(60)

    for (const [key, { of, place }] of places) {
      let struck = false
      proxy.rewrite((said) => {
        if (struck || kindOf(said) !== of) return said.body
        const here = parts(said.body).find((one) => nameOf(one) === nameOf(place))
        if (here === undefined) return said.body
        struck = true
        return withPart(said.body, here, null)
      })
      const { stack } = await open(proxy.url)
      try {
        const failure = await stack.service.push(document, nobody).then(
          () => null,
          (error: unknown) => error,
        )
        if (failure !== null) {
          expect([key, failure]).toEqual([key, expect.any(ServiceError)])
          expect([key, (failure as ServiceError).code]).toEqual([key, 'processor_broken'])
        }
        proxy.rewrite(({ body }) => body)
        await stack.service.push(document, nobody)
        expect([key, (await stack.service.push(document, nobody)).status]).toEqual([key, 'unchanged'])
        const { stripe } = stack
        const all = { limit: 100 }
        const counts = await Promise.all([
          stripe.billing.meters.list(all),
          stripe.products.list(all),
          stripe.prices.list(all),
          stripe.coupons.list(all),
          stripe.promotionCodes.list(all),
          stripe.webhookEndpoints.list(all),
          stripe.entitlements.features.list(all),
        ])
        expect([key, counts.map(({ data }) => data.length)]).toEqual([key, [1, 1, 2, 1, 1, 1, 1]])
      } finally {
        await stack.close()
      }
    }
  },
)
