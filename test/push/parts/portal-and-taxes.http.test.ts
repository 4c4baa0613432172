// Portal configurations and taxes over HTTP: what a push reports, and the sessions of the portal.
import { describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, billing, startTestApp } from '../../support/app.ts'
import { cookieOf, sessionOf } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(() => startTestApp())
const returnUrl = 'http://127.0.0.1:9/account'

const document: BillingConfig = {
  version: '1.0.0',
  products: [
    { id: 'pro', name: 'Pro', prices: [{ id: 'pro_monthly', amount: 1000, currency: 'eur', interval: 'month' }] },
  ],
  tax_rates: [{ id: 'vat', display_name: 'VAT', percentage: '19', inclusive: false }],
  tax: { rates: ['vat'] },
  portal: [
    {
      id: 'self_service',
      default: true,
      features: {
        payment_method_update: { enabled: true },
        subscription_update: { default_allowed_updates: ['price'], products: 'public' },
      },
    },
  ],
}

const open = (payload: object, headers: Record<string, string> = {}) =>
  test.asAdmin({
    method: 'POST',
    url: `${billing}/portal`,
    payload: { return_url: returnUrl, tenant_id: 'acme', ...payload },
    headers,
  })

describe('a document with taxes and portal configurations', () => {
  it('can be pushed, is returned with processor ids if the request has a key, and is not public', async () => {
    const pushed = await test.push(document)
    expect(pushed.statusCode).toBe(200)
    expect(pushed.json()).toMatchObject({
      changes: {
        tax_rates: { created: ['vat'], updated: [], archived: [] },
        portal: { created: ['self_service'], updated: [], archived: [] },
      },
    })
    const { config } = (await test.asAdmin({ url: `${admin}/config` })).json<{ config: Record<string, unknown> }>()
    expect(config).toMatchObject({
      tax_rates: [{ id: 'vat', processor_id: expect.stringMatching(/^txr_/) as string }],
      portal: [{ id: 'self_service', processor_id: expect.stringMatching(/^bpc_/) as string }],
      tax: { rates: ['vat'] },
    })
    const seen = (await test.inject({ url: `${billing}/config` })).json<{ config: object }>()
    expect(Object.keys(seen.config)).toEqual(['version', 'products'])
  })

  it('makes POST portal accept the configuration ids of the document, and refuse unknown ids', async () => {
    await sessionOf(test, 'acme')
    expect((await open({})).json()).toMatchObject({ url: expect.stringContaining('/portal/') as string })
    expect((await open({ portal_id: 'self_service' })).statusCode).toBe(200)
    const unknown = await open({ portal_id: 'nobody' })
    expect([unknown.statusCode, unknown.json<{ code: string }>().code]).toEqual([404, 'portal_not_found'])
    const flow = { type: 'subscription_cancel', subscription_cancel: { subscription: 'sub_none' } }
    const foreign = await open({ flow })
    expect(foreign.json()).toMatchObject({
      code: 'checkout_invalid',
      errors: [{ pointer: '#/flow/subscription_cancel/subscription' }],
    })
    expect((await open({ flow: { type: 'nothing' } })).statusCode).toBe(400)
    expect((await open({ flow: { type: 'payment_method_update' } })).statusCode).toBe(200)
  })

  it('makes POST portal available to a tenant’s session', async () => {
    const cookie = cookieOf(await sessionOf(test, 'acme'))
    const reply = await test.inject({
      method: 'POST',
      url: `${billing}/portal`,
      payload: { return_url: returnUrl },
      headers: { cookie },
    })
    expect(reply.statusCode).toBe(200)
  })
})
