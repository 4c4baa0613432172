// Policies over HTTP: set, read, held to in every change of prices, and overridden by owners.
import { describe, expect, it, onTestFinished } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, changedConfig, sampleConfig, startPushedApp, startTestApp } from '../../support/app.ts'
import { buy, jobEnd, sessionOf } from '../../support/shop/selling.ts'
import { startedForEach } from '../../support/started.ts'

const test = startedForEach(startPushedApp)

const put = (rules: unknown, headers = {}) =>
  test.asAdmin({ method: 'PUT', url: `${admin}/policies`, headers, payload: { rules } })
const post = (path: string, payload?: object, headers: Record<string, string> = {}) =>
  test.asAdmin({ method: 'POST', url: `${admin}${path}`, headers, ...(payload === undefined ? {} : { payload }) })
const why = { 'x-ratecard-message': 'agreed with finance' }

const noRise = { id: 'no_rise', rule: 'max_increase_percent', value: 10, severity: 'deny', reason: 'We promised.' }
const repriced = (amount: number, version = '2.0.0'): BillingConfig =>
  changedConfig(version, ({ products }) => {
    for (const price of products[1]?.prices ?? []) if (price.id === 'pro_monthly') price.amount = amount
  })
const violation = {
  id: 'no_rise',
  rule: 'max_increase_percent',
  severity: 'deny',
  kind: 'price',
  config_id: 'pro_monthly',
  detail: 'The price "pro_monthly" rises by 100% ($12.00 → $24.00), more than 10%.',
  reason: 'We promised.',
}

describe('a pattern for ids', () => {
  const rule = (value: string) => ({ id: 'ids', rule: 'id_pattern', severity: 'deny', value })
  const withId = (id: string) =>
    changedConfig('2.0.0', ({ products }) => {
      products[1]?.prices?.push({ id, amount: 900, currency: 'usd', interval: 'month' })
    })

  it('is refused if it repeats a repetition', async () => {
    const refused = await put([rule('^([a-z]+_?)+$')])
    expect([refused.statusCode, refused.json()]).toMatchObject([
      422,
      { code: 'policies_invalid', errors: [{ pointer: '#/rules/0/value' }] },
    ])
  })

  it('counts as not matched if it takes too long, and lets the next push through', async () => {
    expect((await put([rule('^[a-z].*.*.*.*.*.*.*!$')])).statusCode).toBe(200)
    const slow = await test.push(withId(`a${'_'.repeat(90)}`))
    expect([slow.statusCode, slow.json().code]).toEqual([409, 'policy_denied'])
    await put([rule('^[a-z][a-z0-9_]*$')])
    expect((await test.push(withId('fine'))).statusCode).toBe(200)
  })
})

describe('a policy for another environment', () => {
  const elsewhere =
    'The policy "no_rise" (staging) does not apply here: the environment of this server is "production". If it has another name, set RATECARD_ENVIRONMENT where it runs.'

  it('is named by the plan and by the checks of the service, and does not apply', async () => {
    const app = await startTestApp({ environment: 'production' })
    onTestFinished(() => app.close())
    await app.push(sampleConfig())
    const rules = [{ ...noRise, environments: ['staging'] }]
    await app.asAdmin({ method: 'PUT', url: `${admin}/policies`, payload: { rules } })
    const pushed = await app.push(repriced(2400))
    expect([pushed.statusCode, pushed.json()]).toMatchObject([
      200,
      {
        warnings: expect.arrayContaining([
          expect.objectContaining({ code: 'policy_not_here', severity: 'warning', detail: elsewhere }),
        ]) as unknown,
        violations: [],
      },
    ])
    const { findings } = (await app.asAdmin({ url: `${admin}/doctor` })).json<{ findings: { check: string }[] }>()
    expect(findings.find(({ check }) => check === 'policies')).toMatchObject({
      status: 'ok',
      detail: `1 policy. ${elsewhere}`,
    })
  })
})

describe('the operations PUT and GET admin/policies', () => {
  it('replace the rules and record each change, and record no change if the rules are the same', async () => {
    expect((await test.asAdmin({ url: `${admin}/policies` })).json()).toMatchObject({
      number: 0,
      rules: [],
      history: [],
    })
    const first = await put([noRise], { ...why, 'x-ratecard-author': 'Ada' })
    expect([first.statusCode, first.json()]).toMatchObject([200, { number: 1, rules: [noRise], author: 'Ada' }])
    expect((await put([noRise])).json().number).toBe(1)
    await put([])
    const { rules, history, pagination } = (await test.asAdmin({ url: `${admin}/policies` })).json()
    expect([rules, pagination.total]).toEqual([[], 2])
    expect(history).toMatchObject([
      { number: 2, rules: [] },
      { number: 1, rules: [noRise], message: 'agreed with finance', by: { key_name: 'first' } },
    ])
  })

  it('refuse invalid rules with the place of each error, and keep the earlier rules', async () => {
    await put([noRise])
    const refused = await put([
      { ...noRise, rule: 'max_rise' },
      { id: 'x', severity: 'warn', rule: 'freeze', value: 1 },
    ])
    expect([refused.statusCode, refused.json().code]).toEqual([422, 'policies_invalid'])
    expect(refused.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer)).toEqual([
      '#/rules/0/rule',
      '#/rules/1/value',
    ])
    expect((await test.asAdmin({ url: `${admin}/policies` })).json().rules).toEqual([noRise])
  })
})

describe('a push that breaks a policy', () => {
  it('gets 409 policy_denied and writes nothing, and its dry run names the violation', async () => {
    await put([noRise])
    const planned = await post('/config?dry_run=true', repriced(2400))
    expect(planned.json()).toMatchObject({ status: 'planned', violations: [violation] })
    const live = async () => (await test.stripe.prices.list({ limit: 100 })).data.map(({ id, active }) => [id, active])
    const before = await live()
    const denied = await post('/config', repriced(2400))
    expect([denied.statusCode, denied.json()]).toMatchObject([409, { code: 'policy_denied', violations: [violation] }])
    expect(denied.json().hint).toContain('--override no_rise')
    expect(await live()).toEqual(before)
    expect((await post('/config', repriced(1320))).json()).toMatchObject({ status: 'applied', violations: [] })
  })

  it('is applied with a warning if the rule’s severity is `warn`', async () => {
    await put([{ ...noRise, severity: 'warn' }])
    const pushed = await post('/config', repriced(2400))
    expect(pushed.json()).toMatchObject({ status: 'applied', violations: [{ ...violation, severity: 'warn' }] })
  })

  it('is applied if an owner overrides the rule with a reason, and the history contains the reason', async () => {
    await put([noRise, { id: 'say_why', rule: 'require_message', severity: 'deny' }])
    const mute = await post('/config?override=no_rise', repriced(2400))
    expect([mute.statusCode, mute.json().code]).toEqual([400, 'request_invalid'])
    const unknown = await post('/config?override=no_rice', repriced(2400), why)
    expect([unknown.statusCode, unknown.json().errors[0].pointer]).toEqual([400, '#/query/override'])
    const planned = await post('/config?dry_run=true&override=no_rice', repriced(2400))
    expect([planned.statusCode, planned.json().detail]).toEqual([400, 'There is no policy "no_rice" to override.'])
    const pushed = await post('/config?override=no_rise', repriced(2400), why)
    expect(pushed.json()).toMatchObject({ status: 'applied', violations: [violation] })
    const [entry] = (await test.asAdmin({ url: `${admin}/config/history` })).json().versions
    expect(entry).toMatchObject({ overrides: ['no_rise'], message: 'agreed with finance', by: { key_name: 'first' } })
    const revision = await test.asAdmin({ url: `${admin}/config/history/${String(entry.revision)}` })
    expect(revision.json().overrides).toEqual(['no_rise'])
  })

  it('is refused by rules on metadata, ids, currencies, messages and a freeze', async () => {
    await put([
      { id: 'owner', rule: 'required_metadata', value: ['owner'], severity: 'deny' },
      { id: 'ids', rule: 'id_pattern', value: '^[a-z_]+$', severity: 'deny' },
      { id: 'money', rule: 'currencies', value: ['eur'], severity: 'deny' },
      { id: 'why', rule: 'require_message', severity: 'deny' },
      { id: 'stop', rule: 'freeze', value: { from: '2020-01-01', to: '2120-01-01' }, severity: 'deny' },
      { id: 'elsewhere', rule: 'require_message', severity: 'deny', environments: ['moon'] },
    ])
    const added = changedConfig('2.0.0', ({ products }) => {
      products.push({ id: 'new-1', name: 'New', prices: [{ id: 'new_price', amount: 5, currency: 'usd' }] })
    })
    const { violations } = (await post('/config?dry_run=true', added)).json<{ violations: Record<string, string>[] }>()
    const found = violations.map(({ id, kind, config_id: of }) => [id, kind, of].join(' '))
    expect(found).toEqual([
      'owner product new-1',
      'owner price new_price',
      'ids product new-1',
      'money price new_price',
      'why  ',
      'stop  ',
      // The environment of this server is not known, so every rule holds.
      'elsewhere  ',
    ])
  })

  it('is decided without delay even if a pattern in a rule backtracks endlessly', async () => {
    // Version 0.1 took such a rule.
    const rules = JSON.stringify([{ id: 'slow', rule: 'id_pattern', value: '^(a+)+$', severity: 'warn' }])
    const by = { author: null, message: null, keyId: null, keyName: null }
    await test.store.policies.add({ rules, ...by, createdAt: Date.now() })
    const long = changedConfig('2.0.0', ({ products }) => {
      products.push({ id: `${'a'.repeat(60)}_`, name: 'New' })
    })
    expect((await post('/config?dry_run=true', long)).json().violations).toHaveLength(1)
  })

  it('is not refused if the document is unchanged, and writes nothing', async () => {
    await put([{ id: 'why', rule: 'require_message', severity: 'deny' }])
    expect((await post('/config', sampleConfig())).json()).toMatchObject({ status: 'unchanged', violations: [] })
  })
})

describe('an interrupted push', () => {
  it('is checked against the rules at the time when it is resumed, and keeps earlier overrides', async () => {
    await put([noRise])
    test.sandbox.control.fail({ kind: 'close_before', method: 'POST', path: '/v1/prices', count: null })
    const stopped = await post('/config?override=no_rise', repriced(2400), why)
    test.sandbox.control.clearFaults()
    expect(stopped.json()).toMatchObject({ push_state: 'interrupted' })
    const path = `/pushes/${String(stopped.json().push_id)}/resume`
    await put([noRise, { ...noRise, id: 'later' }])
    expect((await post(path)).json()).toMatchObject({ code: 'policy_denied' })
    expect((await post(`${path}?override=later`)).json().code).toBe('request_invalid')
    const resumed = await post(`${path}?override=later`, undefined, { 'x-ratecard-message': 'agreed again' })
    expect(resumed.json()).toMatchObject({ status: 'applied', summary: expect.stringContaining('1 price rises') })
    const [entry] = (await test.asAdmin({ url: `${admin}/config/history` })).json().versions
    expect(entry).toMatchObject({ overrides: ['no_rise', 'later'], message: 'agreed again' })
  })

  it('can be resumed after the policies that it overrides were removed', async () => {
    await put([noRise])
    test.sandbox.control.fail({ kind: 'close_before', method: 'POST', path: '/v1/prices', count: null })
    const stopped = await post('/config?override=no_rise', repriced(2400), why)
    test.sandbox.control.clearFaults()
    await put([])
    const resumed = await post(`/pushes/${String(stopped.json().push_id)}/resume`)
    expect(resumed.json()).toMatchObject({ status: 'applied', violations: [] })
  })
})

describe('the summary of a plan for a price change', () => {
  it('describes the effect on customers in a sentence, with the new amounts', async () => {
    await sessionOf(test, 'one')
    await buy(test, 'one', { price_id: 'pro_monthly', quantity: 7 })
    const planned = (await post('/config?dry_run=true', repriced(1500))).json()
    expect(planned.summary).toBe(
      '1 price rises. 1 tenant keeps the old price until you move it; at the new price it would pay $21.00 a month more.',
    )
    expect(planned.impact).toMatchObject([
      { monthly: [{ currency: 'usd', amount: 8400 }], monthly_after: [{ currency: 'usd', amount: 10_500 }] },
    ])
  })
})

describe('policies about subscribers:', () => {
  const sold = async () => {
    await sessionOf(test, 'one')
    await buy(test, 'one', { price_id: 'pro_monthly', quantity: 7 })
  }
  const without = changedConfig('3.0.0', ({ products }) => {
    products[1]?.prices?.shift()
  })

  it('the rules no_archive_with_subscribers, max_tenants_affected and max_monthly_affected use the impact of the plan', async () => {
    await sold()
    await put([
      { id: 'kept', rule: 'no_archive_with_subscribers', severity: 'deny' },
      { id: 'few', rule: 'max_tenants_affected', value: 0, severity: 'warn' },
      { id: 'cheap', rule: 'max_monthly_affected', value: { currency: 'usd', amount: 8399 }, severity: 'warn' },
      { id: 'fine', rule: 'max_monthly_affected', value: { currency: 'usd', amount: 8400 }, severity: 'deny' },
    ])
    const { violations } = (await post('/config?dry_run=true', without)).json<{ violations: { id: string }[] }>()
    expect(violations.map(({ id }) => id)).toEqual(['kept', 'few', 'cheap'])
  })

  it('a rollback, a reset, a migration and a deal must follow the rules, and an owner key may override the rules', async () => {
    await sold()
    await post('/config', repriced(2400))
    await put([
      { ...noRise, value: 1 },
      { id: 'kept', rule: 'no_archive_with_subscribers', severity: 'deny' },
    ])

    const migration = { price_id: 'pro_monthly', to: 'now' }
    expect((await post('/migrations?dry_run=true', migration)).json().violations).toMatchObject([{ id: 'no_rise' }])
    expect((await post('/migrations?dry_run=true&override=no_rice', migration)).statusCode).toBe(400)
    expect((await post('/migrations', migration)).json().code).toBe('policy_denied')
    const job = await post('/migrations?override=no_rise', migration, why)
    expect(job.statusCode).toBe(202)
    expect(await jobEnd(test, job.json().id)).toMatchObject({ state: 'done', input: { overrides: ['no_rise'] } })

    expect((await post('/config/reset')).json()).toMatchObject({ code: 'policy_denied', violations: [{ id: 'kept' }] })

    const gold = { tenant_id: 'one', enterprise_template: 'gold' }
    expect((await post('/enterprise/apply-template', gold)).statusCode).toBe(200)
    expect((await post('/enterprise/remove?dry_run=true', { tenant_id: 'one' })).json().violations).toMatchObject([
      { id: 'no_rise', config_id: 'pro_monthly' },
    ])
    expect((await post('/enterprise/remove?dry_run=true&override=no_rice', { tenant_id: 'one' })).statusCode).toBe(400)
    expect((await post('/enterprise/remove', { tenant_id: 'one' })).json().code).toBe('policy_denied')
    expect((await post('/enterprise/remove?override=no_rise', { tenant_id: 'one' }, why)).statusCode).toBe(200)
    const audit = (await test.asAdmin({ url: `${admin}/tenants/one/audit?limit=100` })).json()
    expect(JSON.stringify(audit)).toContain('"overrides":["no_rise"]')

    await put([{ id: 'no_fall', rule: 'max_decrease_percent', value: 1, severity: 'deny' }])
    expect((await post('/config/rollback', { revision: 1 })).json().code).toBe('policy_denied')
    const back = await post('/config/rollback?override=no_fall', { revision: 1 }, why)
    expect(back.json()).toMatchObject({ status: 'applied' })
  })
})
