// A push through a proxy that loses the response to an executed request, for each kind of object.
import { describe, expect, it, onTestFinished } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { startLossyProxy, type Exchange, type LossyProxy } from '../../support/programs/lossy-proxy.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'

const document: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [
        { id: 'pro_monthly', amount: 1000, currency: 'usd', interval: 'month', default: true },
        { id: 'pro_calls', amount: 2, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' },
      ],
    },
  ],
  coupons: [{ id: 'ten', percent_off: 10, duration: 'once' }],
  promotion_codes: [{ id: 'hello', code: 'HELLO', coupon: 'ten' }],
  webhooks: [{ id: 'hook', url: 'https://app.example.com/hook', events: ['invoice.paid'] }],
}

const kinds: [kind: string, path: string][] = [
  ['meter', '/v1/billing/meters'],
  ['product', '/v1/products'],
  ['price', '/v1/prices'],
  ['coupon', '/v1/coupons'],
  ['promotion code', '/v1/promotion_codes'],
  ['webhook', '/v1/webhook_endpoints'],
]

const { sandbox } = sharedSandbox()

async function lossyStack(): Promise<{ readonly stack: Stack; readonly proxy: LossyProxy }> {
  const proxy = await startLossyProxy(sandbox.port)
  const stack = await startStack({ sandbox, apiBase: proxy.url })
  onTestFinished(async () => {
    await stack.close()
    await proxy.close()
  })
  return { stack, proxy }
}

const creation =
  (of: string) =>
  ({ method, path }: Exchange): boolean =>
    method === 'POST' && path === of

/**
 * Checks that each object of the document exists exactly once and is active, and that the stored webhook secret is that of the endpoint.
 */
async function expectOneOfEach({ stripe, service }: Stack, { said }: LossyProxy): Promise<void> {
  const meters = (await stripe.billing.meters.list({ limit: 100 })).data
  expect(meters.map((meter) => [meter.event_name, meter.status])).toEqual([['call', 'active']])
  const products = (await stripe.products.list({ limit: 100 })).data
  expect(products.map((product) => [product.name, product.active])).toEqual([['Pro', true]])
  const prices = (await stripe.prices.list({ active: true, limit: 100 })).data
  expect(prices.map((price) => price.lookup_key).sort()).toEqual(['pro_calls', 'pro_monthly'])
  expect((await stripe.prices.list({ active: false, limit: 100 })).data).toEqual([])
  expect((await stripe.coupons.list({ limit: 100 })).data).toHaveLength(1)
  const codes = (await stripe.promotionCodes.list({ limit: 100 })).data
  expect(codes.map((code) => [code.code, code.active])).toEqual([['HELLO', true]])
  const endpoints = (await stripe.webhookEndpoints.list({ limit: 100 })).data
  expect(endpoints.map((endpoint) => endpoint.status)).toEqual(['enabled'])
  const [hook] = await service.listWebhooks({ secrets: true })
  expect(hook).toMatchObject({ processorId: endpoints[0]?.id, secretKnown: true })
  expect(hook?.secret).toBe(secretOf(said, endpoints[0]?.id ?? ''))
}

/** Returns the secret of an endpoint, from all responses that the server ever sent. */
function secretOf(said: readonly string[], endpoint: string): unknown {
  const objects = said.map((body): unknown => JSON.parse(body))
  const isCreation = (object: unknown): object is { readonly secret: unknown } =>
    typeof object === 'object' && object !== null && 'secret' in object && 'id' in object && object.id === endpoint
  return objects.find(isCreation)?.secret
}

describe('a push in which the response to the creation of an object is lost', () => {
  it.each(kinds)('succeeds through a retry, without a duplicate: %s', async (_kind, path) => {
    const { stack, proxy } = await lossyStack()
    proxy.lose((exchange) => creation(path)(exchange) && proxy.lost.length === 0)
    await stack.service.push(document, nobody)
    expect(proxy.lost).toMatchObject([{ path, status: 200 }])
    await expectOneOfEach(stack, proxy)
  })

  it.each(kinds)(
    'creates no duplicate, now or at the next push, if the responses to its retries are lost too: %s',
    async (_kind, path) => {
      const { stack, proxy } = await lossyStack()
      proxy.lose(creation(path))
      const first = await stack.service.push(document, nobody).then(
        () => 'done',
        (error: unknown) => error,
      )
      // Only a webhook needs its response, because that contains the secret.
      if (path === '/v1/webhook_endpoints') expect(first).toMatchObject({ code: 'processor_timeout' })
      else expect(first).toBe('done')
      expect(proxy.lost.length).toBeGreaterThanOrEqual(2)
      proxy.lose(null)
      await stack.service.push(document, nobody)
      await expectOneOfEach(stack, proxy)
    },
  )

  it.each(kinds)(
    'fails if all later responses are lost too, and the next push creates no duplicate: %s',
    async (_kind, path) => {
      const { stack, proxy } = await lossyStack()
      let dark = false
      proxy.lose((exchange) => (dark ||= creation(path)(exchange)))
      await expect(stack.service.push(document, nobody)).rejects.toMatchObject({ code: 'processor_timeout' })
      proxy.lose(null)
      await stack.service.push(document, nobody)
      await expectOneOfEach(stack, proxy)
    },
  )
})
