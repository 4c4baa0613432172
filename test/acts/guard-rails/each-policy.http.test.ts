// Each policy against each way to change a document: one push, several pushes, a rename, a rollback, a push that is resumed.
import { describe, expect, it } from 'vitest'
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, startTestApp } from '../../support/app.ts'
import { buy, nobody } from '../../support/shop/selling.ts'
import { startedForEach } from '../../support/started.ts'

const test = startedForEach(startTestApp)
const monthly = { currency: 'usd', interval: 'month', metadata: { cost_centre: 'c1' } } as const
const sold: Price = { id: 'sold', amount: 1000, ...monthly }
const beside: Price = { id: 'beside', amount: 500, ...monthly }
const document = (version: string, ...prices: readonly Price[]): BillingConfig => ({
  version,
  products: [
    {
      ...{ id: 'rule', name: 'Rule', prices: [...prices, { ...beside, id: 'kept' }] },
      // The keys of a product count for its prices, too.
      ...(prices.some(({ metadata }) => metadata === undefined) ? {} : { metadata: { cost_centre: 'c1' } }),
    },
    { id: 'beside', name: 'Beside', metadata: { cost_centre: 'c1' }, prices: [beside] },
  ],
})
const post = async (path: string, payload: object = {}) => {
  const answer = await test.asAdmin({ method: 'POST', url: `${admin}${path}`, payload })
  return { http: answer.statusCode, ...answer.json<{ code?: string }>() }
}
const push = (config: BillingConfig) => post('/config?approve_impact=true', config)

const rules = {
  max_increase_percent: 10,
  max_decrease_percent: 10,
  no_archive_with_subscribers: undefined,
  required_metadata: ['cost_centre'],
  id_pattern: '^[a-z][a-z0-9_]*$',
  currencies: ['usd'],
  max_tenants_affected: 0,
  max_monthly_affected: { currency: 'usd', amount: 100 },
  require_message: undefined,
} as const
type Rule = keyof typeof rules

const { metadata: _metadata, ...bare } = sold
const euros = { currency_options: { eur: { amount: 900 } } }
const renamed: Price = { ...sold, id: 'renamed', previous_ids: ['sold'] }
const oneTime = { id: 'sold', amount: 1000, currency: 'usd', metadata: { cost_centre: 'c1' } } as Price

/** For each policy, what breaks it: the prices of each push after the first one, the last of which must be refused. */
const ways: Readonly<Record<Rule, Readonly<Record<string, readonly (readonly Price[])[]>>>> = {
  max_increase_percent: {
    'one push': [[{ ...sold, amount: 2000 }]],
    'a rename': [[{ ...renamed, amount: 2000 }]],
    'a rename, then a push': [[renamed], [{ ...renamed, amount: 2000 }]],
    'three pushes': [[oneTime], [{ ...sold, id: 'other' }], [{ ...sold, amount: 2000 }]],
  },
  max_decrease_percent: {
    'one push': [[{ ...sold, amount: 200 }]],
    'a rename': [[{ ...renamed, amount: 200 }]],
    'three pushes': [[{ ...sold, currency: 'gbp' } as Price], [oneTime], [{ ...sold, amount: 200 }]],
  },
  no_archive_with_subscribers: {
    'one push': [[]],
    'a rename, then a push': [[renamed], []],
    'a replacement, then a push': [[{ ...sold, amount: 1050 }], []],
    'three pushes': [[renamed], [{ ...renamed, amount: 1050 }], []],
  },
  required_metadata: {
    'one push': [[bare]],
    'a rename': [[{ ...bare, ...{ id: 'renamed', previous_ids: ['sold'] } }]],
    'two pushes': [[{ ...sold, amount: 1050 }], [{ ...bare, amount: 1050 }]],
  },
  id_pattern: {
    'one push': [[sold, { ...beside, id: 'Bad-Id' }]],
    'a rename': [[{ ...renamed, id: 'Bad-Id' }]],
    'two pushes': [[renamed], [{ ...renamed, id: 'Bad-Id', previous_ids: ['renamed'] }]],
  },
  currencies: {
    'one push': [[{ ...sold, ...euros }]],
    'a rename': [[{ ...renamed, ...euros }]],
    'two pushes': [[oneTime], [{ ...oneTime, ...euros }]],
  },
  max_tenants_affected: {
    'one push': [[{ ...sold, amount: 1050 }]],
    'a rename, then a push': [[renamed], [{ ...renamed, amount: 1050 }]],
  },
  max_monthly_affected: {
    'one push': [[{ ...sold, amount: 1050 }]],
    'a rename, then a push': [[renamed], []],
  },
  require_message: {
    'one push': [[{ ...sold, amount: 1050 }]],
    'a rename': [[renamed]],
  },
}

const cases = Object.entries(ways).flatMap(([rule, all]) =>
  Object.entries(all).map(([way, pushes]) => [rule as Rule, way, pushes] as const),
)
const deny = (rule: Rule) => {
  const value = rules[rule]
  const payload = { rules: [{ id: 'rule', rule, severity: 'deny', ...(value === undefined ? {} : { value }) }] }
  return test.asAdmin({ method: 'PUT', url: `${admin}/policies`, payload })
}

async function begin(): Promise<void> {
  expect(await push(document('1.0.0', sold))).toMatchObject({ http: 200 })
  await test.service.createTenant({ id: 'acme', name: 'acme' }, nobody)
  await buy(test, 'acme', { price_id: 'sold' })
}

describe('a policy of severity `deny`:', () => {
  it.each(cases)('%s is not passed by %s', async (rule, _way, pushes) => {
    await begin()
    expect((await deny(rule)).statusCode).toBe(200)
    for (const [index, prices] of pushes.entries()) {
      const answer = await push(document(`1.${String(index + 1)}.0`, ...prices))
      expect([index, answer.code ?? answer.http]).toEqual([index, index === pushes.length - 1 ? 'policy_denied' : 200])
    }
  })

  it.each(Object.keys(rules) as Rule[])('%s is not passed by a rollback', async (rule) => {
    const [[last = []] = []] = Object.values(ways[rule])
    // The broken state is an earlier revision, from before the policy.
    await begin()
    expect(await push(document('1.1.0', ...last))).toMatchObject({ http: 200 })
    expect(await push(document('1.2.0', sold))).toMatchObject({ http: 200 })
    // The subscriber is on the price as it is now.
    if (rule.startsWith('max_tenants') || rule.startsWith('max_monthly') || rule.startsWith('no_archive')) {
      await test.service.createTenant({ id: 'later', name: 'later' }, nobody)
      await buy(test, 'later', { price_id: 'sold' })
    }
    await deny(rule)
    expect(await post('/config/rollback?approve_impact=true', { revision: 2 })).toMatchObject({ code: 'policy_denied' })
  })

  it.each(Object.keys(rules) as Rule[])('%s is not passed by a push that is resumed', async (rule) => {
    await begin()
    const [[last = []] = []] = Object.values(ways[rule])
    test.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', count: null })
    const stopped = await push(document('1.1.0', ...last))
    test.sandbox.control.clearFaults()
    expect(stopped.http).toBeGreaterThanOrEqual(400)
    await deny(rule)
    const { pushes } = (await test.asAdmin({ url: `${admin}/pushes?limit=1` })).json<{ pushes: { id: string }[] }>()
    expect(await post(`/pushes/${pushes[0]?.id ?? ''}/resume`)).toMatchObject({ code: 'policy_denied' })
  })
})
