import { admin, billing, type TestApp } from '../app.ts'
import { payPage } from './pay-page.ts'

export const urls = { success_url: 'http://127.0.0.1:9/done', cancel_url: 'http://127.0.0.1:9/back' }
export const nobody = { author: null, by: null, requestId: null }

/** Creates the tenant if necessary, and a session of one day. Returns the value of its cookie. */
export async function sessionOf({ service }: TestApp, tenantId: string): Promise<string> {
  if ((await service.listTenants({ limit: 100, offset: 0 })).items.every(({ id }) => id !== tenantId))
    await service.createTenant({ id: tenantId, name: tenantId }, nobody)
  return (await service.createSession(tenantId, null)).value
}

export const cookieOf = (value: string) => `ratecard_session=${value}`

/** Buys a price for a tenant as a customer would: checkout, the processor's page, a card. */
export async function buy(
  test: TestApp,
  tenantId: string,
  payload: { price_id: string; quantity?: number; allow_duplicate?: true },
) {
  const response = await test.asAdmin({
    method: 'POST',
    url: `${billing}/checkout`,
    payload: { ...urls, ...payload, tenant_id: tenantId },
  })
  const { url } = response.json<{ url: string }>()
  await payPage(url)
}

/** Waits for the end of the job by polling its address, like a caller. */
export async function jobEnd(test: TestApp, id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const job = (await test.asAdmin({ url: `${admin}/jobs/${id}` })).json<Record<string, unknown>>()
    if (job['state'] !== 'running') return job
    await new Promise((resolve) => setImmediate(resolve))
  }
}
