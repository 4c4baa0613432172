// The company of the example `limits`: projects for each seat, and API calls a month with paid overage.
import { readFileSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import type { BillingConfig } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import { billing, startTestApp } from '../../../support/app.ts'
import { mirrored, mirrorSettings } from '../../../support/mirror.ts'
import { buy, nobody } from '../../../support/shop/selling.ts'

const file = new URL('../../../../examples/limits/ratecard/billing/billing.json', import.meta.url)

/** Returns the document of the example. */
export const limitDocument = () => JSON.parse(readFileSync(file, 'utf8')) as BillingConfig

/** Body of a response, with its HTTP status as `http`. */
type Answer = { readonly http: number } & Readonly<Record<string, unknown>>

/** Starts the service with a mirror and pushes the document of the example. */
export async function limitWorld() {
  const app = await startTestApp({ mirror: mirrorSettings })
  onTestFinished(() => app.close())
  expect((await app.push(limitDocument())).statusCode).toBe(200)
  const post = async (url: string, payload: object): Promise<Answer> => {
    const response = await app.asAdmin({ method: 'POST', url: `${billing}/${url}`, payload })
    return { http: response.statusCode, ...response.json<Record<string, unknown>>() }
  }
  return {
    ...app,
    /** Sells a price to a tenant, which is created if necessary. */
    sell: async (tenant: string, priceId: string, quantity = 1) => {
      await app.service.createTenant({ id: tenant, name: tenant }, nobody)
      await buy(app, tenant, { price_id: priceId, quantity })
      await mirrored(app)
    },
    /** Changes the number of seats after a preview, as an account page does. Returns the status of the change. */
    changeSeats: async (tenant: string, priceId: string, quantity: number) => {
      const change = { tenant_id: tenant, items: [{ price_id: priceId, quantity }] }
      const { preview } = await post('subscription/preview', change)
      const { status } = await post('subscription/change', { ...change, preview })
      await mirrored(app)
      return status
    },
    check: (tenant: string, feature: string, used?: number) =>
      post('entitlements/check', { tenant_id: tenant, feature, ...(used === undefined ? {} : { used }) }),
    /** Reports API calls that are held against the allowance. Returns the HTTP status. */
    call: async (tenant: string, value: number) =>
      (await post('usage', { tenant_id: tenant, meter: 'api_calls', value, enforce: true })).http,
    /** Lets days pass for all customers, and the mirror read what happened. */
    pass: async (days: number) => {
      app.sandbox.control.advance(days * 86_400)
      await mirrored(app)
    },
    /** Total of the next invoice of a tenant's first subscription. */
    nextTotal: async (tenant: string) => (await app.service.upcomingInvoices(tenant))[0]?.total,
    /** Totals of all invoices, oldest first. */
    invoiceTotals: async () =>
      (await app.stripe.invoices.list({ limit: 100 })).data.map(({ total }) => total).reverse(),
  }
}
