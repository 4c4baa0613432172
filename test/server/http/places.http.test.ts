// A refusal because of a member of the body contains a JSON pointer to that member, on all routes.
import { beforeAll, expect, it } from 'vitest'
import { admin, billing, startPushedApp } from '../../support/app.ts'
import { urls } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startPushedApp)
beforeAll(async () => {
  await test.asAdmin({ method: 'POST', url: `${admin}/tenants`, payload: { id: 'acme', name: 'Acme' } })
})

const checkout = { ...urls, price_id: 'pro_monthly', tenant_id: 'acme' }

it.each([
  [`${billing}/checkout`, { ...checkout, price_id: 'gone' }, 'price_not_found', '#/price_id'],
  [
    `${billing}/checkout`,
    { ...urls, tenant_id: 'acme', items: [{ price_id: 'pro_monthly' }, { price_id: 'gone' }] },
    'price_not_found',
    '#/items/1/price_id',
  ],
  [`${billing}/checkout`, { ...checkout, tenant_id: 'gone' }, 'tenant_not_found', '#/tenant_id'],
  [`${billing}/checkout`, { ...checkout, currency: 'sek' }, 'currency_not_offered', '#/currency'],
  [`${billing}/portal`, { return_url: urls.success_url, tenant_id: 'gone' }, 'tenant_not_found', '#/tenant_id'],
  [`${billing}/usage`, { meter: 'gone', value: 1, tenant_id: 'acme' }, 'meter_not_found', '#/meter'],
  [
    `${billing}/config/prices/pro_monthly/calculate`,
    { quantity: 1, currency: 'sek' },
    'currency_not_offered',
    '#/currency',
  ],
  [`${admin}/config/rollback`, { revision: 99 }, 'revision_not_found', '#/revision'],
  [`${admin}/sessions`, { tenant_id: 'gone' }, 'tenant_not_found', '#/tenant_id'],
  [`${admin}/migrations`, { price_id: 'gone' }, 'price_not_found', '#/price_id'],
  [`${admin}/enterprise/remove`, { tenant_id: 'gone' }, 'tenant_not_found', '#/tenant_id'],
  [
    `${admin}/enterprise/apply-template`,
    { tenant_id: 'acme', enterprise_template: 'gone' },
    'enterprise_price_not_found',
    '#/enterprise_template',
  ],
  [
    `${admin}/enterprise/apply-custom`,
    { tenant_id: 'acme', enterprise_id: 'gone' },
    'enterprise_price_not_found',
    '#/enterprise_id',
  ],
])('the error about a refused body contains a JSON pointer: POST %s %j', async (url, payload, code, pointer) => {
  const response = await test.asAdmin({ method: 'POST', url, payload })
  const problem = response.json<{ code: string; detail: string; errors?: unknown }>()
  expect([response.statusCode >= 400, problem.code]).toEqual([true, code])
  expect(problem.errors).toMatchObject([{ pointer, detail: problem.detail, severity: 'error' }])
})

it('the response to an invalid path contains no list of errors', async () => {
  const response = await test.asAdmin({ method: 'PATCH', url: `${admin}/tenants/gone`, payload: { name: 'x' } })
  expect(response.json()).not.toHaveProperty('errors')
})
