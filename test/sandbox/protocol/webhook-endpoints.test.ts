import { describe, expect } from 'vitest'
import { sandboxTest as test } from '../../support/sandbox.ts'
import { contractVersion } from '../../support/stripe-contract.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

const url = 'https://example.test/hook'

describe('webhook endpoints of the sandbox:', () => {
  test('the signing secret is returned only when the endpoint is created', async ({ sandbox: { stripe } }) => {
    const made = await stripe.webhookEndpoints.create({
      url,
      enabled_events: ['invoice.paid'],
      api_version: contractVersion as never,
    })
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9]{32}$/)
    expect(made).toMatchObject({
      url,
      enabled_events: ['invoice.paid'],
      status: 'enabled',
      api_version: contractVersion,
    })
    const seen = [
      await stripe.webhookEndpoints.retrieve(made.id),
      ...(await stripe.webhookEndpoints.list()).data,
      await stripe.webhookEndpoints.update(made.id, { description: 'd' }),
    ]
    expect(JSON.stringify(seen)).not.toContain('whsec_')
    expect(JSON.stringify((await stripe.events.list()).data)).not.toContain('whsec_')
  })

  test('url, events, description, state and metadata can be updated', async ({ sandbox: { stripe } }) => {
    const { id } = await stripe.webhookEndpoints.create({ url, enabled_events: ['*'] })
    const change = {
      url: 'http://127.0.0.1:9/x',
      enabled_events: ['price.created' as const],
      metadata: { config_id: 'h' },
    }
    expect(await stripe.webhookEndpoints.update(id, { ...change, disabled: true })).toMatchObject({
      ...change,
      status: 'disabled',
    })
    expect(await stripe.webhookEndpoints.update(id, { disabled: false, description: '' })).toMatchObject({
      status: 'enabled',
      description: null,
    })
    for (const param of ['api_version', 'connect', 'secret']) {
      expect(await refusal(stripe.webhookEndpoints.update(id, { [param]: 'x' }))).toMatchObject({
        code: 'parameter_unknown',
      })
    }
  })

  test('an unknown event type is refused with its position in the list', async ({ sandbox: { stripe } }) => {
    const events = ['invoice.paid', 'invoice.payed'] as never
    const refused = await refusal(stripe.webhookEndpoints.create({ url, enabled_events: events }))
    expect(refused.param).toBe('enabled_events[1]')
    expect(refused.message).toMatch(/^Invalid enabled_events\[1\]: must be one of \*, account\.application\.authorized/)
  })

  test('a url with a scheme, and event types, are required', async ({ sandbox: { stripe } }) => {
    expect(await refusal(stripe.webhookEndpoints.create({ url } as never))).toMatchObject({ param: 'enabled_events' })
    expect(await refusal(stripe.webhookEndpoints.create({ enabled_events: ['*'] } as never))).toMatchObject({
      param: 'url',
    })
    expect(await refusal(stripe.webhookEndpoints.create({ url: 'example.test', enabled_events: ['*'] }))).toMatchObject(
      {
        code: 'url_invalid',
        param: 'url',
        message: 'Invalid URL: An explicit scheme (such as https) must be provided.',
      },
    )
  })

  test('an account has at most sixteen endpoints', async ({ sandbox: { stripe } }) => {
    const ids: string[] = []
    for (let index = 0; index < 16; index++) {
      ids.push((await stripe.webhookEndpoints.create({ url: `${url}/${index}`, enabled_events: ['*'] })).id)
    }
    const another = { url, enabled_events: ['*' as const] }
    expect(await refusal(stripe.webhookEndpoints.create(another))).toMatchObject({
      status: 400,
      message: 'You have reached the maximum of 16 test webhook endpoints.',
    })
    await stripe.webhookEndpoints.del(ids[0] ?? '')
    await stripe.webhookEndpoints.create(another)
  })

  test('a request for a deleted endpoint gets a 404', async ({ sandbox: { stripe } }) => {
    const { id } = await stripe.webhookEndpoints.create({ url, enabled_events: ['*'] })
    expect(await stripe.webhookEndpoints.del(id)).toEqual({ id, object: 'webhook_endpoint', deleted: true })
    expect(await refusal(stripe.webhookEndpoints.retrieve(id))).toMatchObject({ status: 404, code: 'resource_missing' })
  })
})
