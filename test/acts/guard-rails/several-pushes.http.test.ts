// What several pushes together do is held to a policy like one push: a table of ways around it, each with what stands between.
import { expect, it } from 'vitest'
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, startTestApp } from '../../support/app.ts'
import { startedForEach } from '../../support/started.ts'

const start = Date.UTC(2031, 4, 1)
let now = start
const test = startedForEach(async () => {
  now = start
  return startTestApp({ clock: { now: () => now } })
})

const monthly = { currency: 'usd', interval: 'month' } as const
const price = (more: Partial<Price>): Price => ({ id: 'rule_m', amount: 1000, ...monthly, ...more }) as Price
const euros = (amount: number) => ({ currency_options: { eur: { amount } } })
const whole = price(euros(900))
const other: Price = { id: 'other', amount: 700, ...monthly }
/** Returns a document with these prices; a second product has one price always, so that none is empty. */
const document = (version: string, ...prices: readonly Price[]): BillingConfig => ({
  version,
  products: [
    { id: 'rule', name: 'Rule', prices: prices.length === 0 ? [other] : [...prices] },
    { id: 'beside', name: 'Beside', prices: [{ id: 'beside', amount: 500, ...monthly }] },
  ],
})

const rules = [
  { id: 'rise', rule: 'max_increase_percent', value: 10, severity: 'deny' },
  { id: 'fall', rule: 'max_decrease_percent', value: 10, severity: 'deny' },
]
const post = async (path: string, payload?: object) => {
  const answer = await test.asAdmin({ method: 'POST', url: `${admin}${path}`, ...(payload && { payload }) })
  return { http: answer.statusCode, ...answer.json<Record<string, unknown>>() }
}
const push = async (config: BillingConfig) => {
  const answer = await test.push(config, '?approve_impact=true')
  return { http: answer.statusCode, ...answer.json<Record<string, unknown>>() }
}

/** Pushes the whole price, sets the rules, then pushes what stands between. Returns the answer to the last push. */
async function around(between: readonly (readonly Price[])[], last: Price) {
  expect(await push(document('1.0.0', whole))).toMatchObject({ http: 200 })
  await test.asAdmin({ method: 'PUT', url: `${admin}/policies`, payload: { rules } })
  for (const [index, prices] of between.entries())
    expect(await push(document(`1.${String(index + 1)}.0`, ...prices))).toMatchObject({ http: 200 })
  return push(document('2.0.0', last))
}

const oneTime = { id: 'rule_m', amount: 1000, currency: 'usd', ...euros(900) } as Price
const custom = { id: 'rule_m', currency: 'usd', custom_unit_amount: { minimum: 100 } } as unknown as Price
const renamed: Price = { ...whole, id: 'ruled', previous_ids: ['rule_m'] }

it.each<readonly [string, readonly (readonly Price[])[], Price]>([
  ['nothing', [], price({ amount: 5000 })],
  ['its absence', [[]], price({ amount: 5000 })],
  ['its absence, for a lower amount', [[]], price({ amount: 100 })],
  ['its absence twice, with another push between', [[], [other]], price({ amount: 5000 })],
  ['a one-time price', [[oneTime]], price({ amount: 5000 })],
  ['another currency', [[price({ amount: 800, currency: 'gbp' })]], price({ amount: 5000 })],
  ['another currency and its absence', [[price({ amount: 800, currency: 'gbp' })], []], price({ amount: 5000 })],
  ['the absence of euros, for a lower amount', [[price({})]], price(euros(1))],
  ['the absence of euros, for a higher amount', [[price({})]], price(euros(99_900))],
  ['an amount that customers choose', [[custom]], price({ amount: 5000 })],
  ['a rename', [[renamed]], { ...renamed, amount: 5000 }],
  [
    'a rename and the absence of euros',
    [[renamed], [{ ...renamed, currency_options: undefined } as unknown as Price]],
    { ...renamed, ...euros(1) },
  ],
  ['a rename, its absence and its first id', [[renamed], []], price({ amount: 5000 })],
])('a policy is not passed by %s in between', async (_name, between, last) => {
  expect(await around(between, last)).toMatchObject({ http: 409, code: 'policy_denied' })
})

it('the answer names the revision whose amount counts', async () => {
  const { detail } = (await around([[]], price({ amount: 5000 }))) as { detail?: string }
  expect(detail).toContain('rises by 400% since revision 1 ($10.00 → $50.00)')
})

it.each<readonly [string, readonly (readonly Price[])[], Price]>([
  ['the amount that the price had', [[]], whole],
  ['a rise within the limit', [[]], price({ amount: 1100, ...euros(900) })],
  ['another id', [[]], { ...other, id: 'ruler', amount: 9000 }],
  [
    'a currency that the price never had',
    [],
    price({ ...euros(900), currency_options: { eur: { amount: 900 }, gbp: { amount: 1 } } }),
  ],
])('%s passes', async (_name, between, last) => {
  expect(await around(between, last)).toMatchObject({ http: 200 })
})

it('an amount counts for 90 days after it was last in force', async () => {
  expect(await push(document('1.0.0', whole))).toMatchObject({ http: 200 })
  await test.asAdmin({ method: 'PUT', url: `${admin}/policies`, payload: { rules } })
  now += 200 * 86_400_000
  expect(await push(document('1.1.0'))).toMatchObject({ http: 200 })
  now += 89 * 86_400_000
  expect(await push(document('1.2.0', price({ amount: 5000 })))).toMatchObject({ http: 409 })
  now += 2 * 86_400_000
  expect(await push(document('1.2.0', price({ amount: 5000 })))).toMatchObject({ http: 200 })
})

it('a policy holds after a reset, too', async () => {
  expect(await push(document('1.0.0', whole))).toMatchObject({ http: 200 })
  await test.asAdmin({ method: 'PUT', url: `${admin}/policies`, payload: { rules } })
  expect(await post('/config/reset?scope=managed', {})).toMatchObject({ http: 200 })
  expect(await push(document('2.0.0', price({ amount: 5000 })))).toMatchObject({ http: 409, code: 'policy_denied' })
})

it('a policy holds for a rollback to an amount that its price had long ago', async () => {
  expect(await push(document('1.0.0', price({ amount: 5000 })))).toMatchObject({ http: 200 })
  expect(await push(document('1.1.0', whole))).toMatchObject({ http: 200 })
  await test.asAdmin({ method: 'PUT', url: `${admin}/policies`, payload: { rules } })
  expect(await push(document('1.2.0'))).toMatchObject({ http: 200 })
  expect(await post('/config/rollback', { revision: 1 })).toMatchObject({ http: 409, code: 'policy_denied' })
})

it('a policy holds when an interrupted push is resumed after rules were set', async () => {
  expect(await push(document('1.0.0', whole))).toMatchObject({ http: 200 })
  expect(await push(document('1.1.0'))).toMatchObject({ http: 200 })
  test.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path: '/v1/prices', count: null })
  expect((await push(document('2.0.0', price({ amount: 5000 })))).http).toBeGreaterThanOrEqual(400)
  test.sandbox.control.clearFaults()
  await test.asAdmin({ method: 'PUT', url: `${admin}/policies`, payload: { rules } })
  const { pushes } = (await test.asAdmin({ url: `${admin}/pushes?limit=1` })).json<{ pushes: { id: string }[] }>()
  expect(await post(`/pushes/${pushes[0]?.id ?? ''}/resume`, {})).toMatchObject({ http: 409, code: 'policy_denied' })
})
