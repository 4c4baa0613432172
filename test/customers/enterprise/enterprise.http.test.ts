import { beforeAll, describe, expect, it } from 'vitest'
import { admin, changedConfig, startPushedApp } from '../../support/app.ts'
import { buy, jobEnd, sessionOf } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startPushedApp)

beforeAll(async () => {
  for (const tenant of ['one', 'two']) {
    await sessionOf(test, tenant)
    await buy(test, tenant, { price_id: 'pro_monthly', quantity: 7 })
  }
})

const post = (path: string, payload?: object, headers = {}) =>
  test.asAdmin({ method: 'POST', url: `${admin}${path}`, headers, ...(payload === undefined ? {} : { payload }) })
const itemOf = async (tenant: string) =>
  (await test.asAdmin({ url: `${admin}/tenants/${tenant}/subscriptions` })).json().subscriptions[0].items[0]
const tenantOf = async (tenant: string) => (await test.asAdmin({ url: `${admin}/tenants/${tenant}` })).json()

describe('the operations admin/enterprise/apply-template, apply-custom and remove', () => {
  it('move a tenant’s items to its negotiated prices and back, with an entry in the audit log', async () => {
    const dry = await post('/enterprise/apply-template?dry_run=true', { tenant_id: 'one', enterprise_template: 'gold' })
    expect(dry.json()).toMatchObject({ tenant_id: 'one', dry_run: true, prices_swapped: 1 })
    expect((await itemOf('one')).price_id).toBe('pro_monthly')

    const headers = { 'x-ratecard-author': 'Sales', 'x-request-id': 'deal-1' }
    const applied = await post('/enterprise/apply-template', { tenant_id: 'one', enterprise_template: 'gold' }, headers)
    expect([applied.statusCode, applied.json()]).toEqual([
      200,
      {
        tenant_id: 'one',
        prices_swapped: 1,
        swaps: [
          {
            subscription: expect.any(String),
            item: expect.any(String),
            from: 'pro_monthly',
            to: 'pro_monthly_gold',
            effective: 'now',
          },
        ],
        skipped: [],
        left_on_other_deal: 0,
        checkouts_closed: 0,
      },
    ])
    expect(await itemOf('one')).toMatchObject({ price_id: 'pro_monthly_gold', quantity: 7 })
    expect(await tenantOf('one')).toMatchObject({ enterprise_template: 'gold', enterprise_id: null })
    expect(
      (await post('/enterprise/apply-template', { tenant_id: 'one', enterprise_template: 'gold' })).json(),
    ).toEqual({
      tenant_id: 'one',
      prices_swapped: 0,
      swaps: [],
      skipped: [],
      left_on_other_deal: 0,
      checkouts_closed: 0,
    })

    const custom = await post('/enterprise/apply-custom', { tenant_id: 'one', enterprise_id: 'acme' })
    expect(custom.json()).toMatchObject({ prices_swapped: 1, swaps: [{ to: 'pro_monthly_acme' }] })
    expect(await tenantOf('one')).toMatchObject({ enterprise_template: null, enterprise_id: 'acme' })

    const removed = await post('/enterprise/remove', { tenant_id: 'one' })
    expect(removed.json()).toMatchObject({ prices_swapped: 1, swaps: [{ to: 'pro_monthly' }] })
    expect(await tenantOf('one')).toMatchObject({ enterprise_template: null, enterprise_id: null })
    expect(await itemOf('one')).toMatchObject({ price_id: 'pro_monthly', quantity: 7 })

    const audit = await test.asAdmin({ url: `${admin}/tenants/one/audit?limit=100` })
    const deal = audit.json<{ entries: { request_id: string }[] }>().entries.find((one) => one.request_id === 'deal-1')
    expect(deal).toMatchObject({ author: 'Sales', key_id: expect.stringMatching(/^key_/), result: expect.any(Object) })
  })

  it('return 404 for an unknown tenant, template or enterprise id', async () => {
    for (const [path, payload, code] of [
      ['apply-template', { tenant_id: 'nobody', enterprise_template: 'gold' }, 'tenant_not_found'],
      ['apply-template', { tenant_id: 'one', enterprise_template: 'platinum' }, 'enterprise_price_not_found'],
      ['apply-custom', { tenant_id: 'one', enterprise_id: 'nobody' }, 'enterprise_price_not_found'],
      ['remove', { tenant_id: 'nobody' }, 'tenant_not_found'],
      ['move-template', { enterprise_template: 'platinum' }, 'enterprise_price_not_found'],
    ] as const) {
      const response = await post(`/enterprise/${path}`, payload)
      expect([path, response.statusCode, response.json().code]).toEqual([path, 404, code])
    }
  })

  it('refuse missing, contradictory and unknown members with request_invalid', async () => {
    for (const [path, payload] of [
      ['apply-template', { tenant_id: 'one' }],
      ['apply-template', { tenant_id: 'one', enterprise_template: 'gold', enterprise_id: 'acme' }],
      ['apply-custom', { tenant_id: 'one', enterprise_id: '' }],
      ['apply-custom', { tenant_id: 'one', enterprise_id: 'acme', unmatched: 'list' }],
      ['remove', { tenant_id: 'one', unmatched: 'base' }],
      ['remove', {}],
      ['remove?dry_run=maybe', { tenant_id: 'one' }],
    ] as const)
      expect([path, (await post(`/enterprise/${path}`, payload)).json().code]).toEqual([path, 'request_invalid'])
  })

  it('set an end date for a deal, and show the amounts after a removal at the base price and at the originally purchased price', async () => {
    const payload = {
      tenant_id: 'one',
      enterprise_template: 'gold',
      ends_at: '2099-01-01T00:00:00+01:00',
      then: 'signed',
    }
    const end = { ends_at: '2098-12-31T23:00:00.000Z', then: 'signed' }
    const dry = await post('/enterprise/apply-template?dry_run=true', payload)
    expect(dry.json()).toMatchObject({
      ...end,
      monthly: { before: [{ currency: 'usd' }], after: [{ currency: 'usd' }] },
    })
    expect((await post('/enterprise/apply-template', payload)).json()).toMatchObject(end)
    expect(await tenantOf('one')).toMatchObject({ enterprise_ends_at: end.ends_at, enterprise_then: 'signed' })
    const removal = await post('/enterprise/remove?dry_run=true', { tenant_id: 'one', to: 'signed' })
    expect(removal.json()).toMatchObject({
      swaps: [{ from: 'pro_monthly_gold', to: 'pro_monthly' }],
      monthly: { before: dry.json().monthly.after, after: dry.json().monthly.before },
    })
    expect((await post('/enterprise/remove', { tenant_id: 'one', to: 'signed' })).json()).toMatchObject({
      prices_swapped: 1,
    })
    expect(await tenantOf('one')).toMatchObject({ enterprise_ends_at: null, enterprise_then: null })
  })

  it('refuse an end date that is invalid or in the past, and the member `then` without an end date', async () => {
    for (const [more, pointer] of [
      [{ ends_at: 'tomorrow' }, '#/ends_at'],
      [{ ends_at: '2001-01-01T00:00:00Z' }, '#/ends_at'],
      [{ then: 'signed' }, '#/then'],
      [{ ends_at: null, then: 'signed' }, '#/then'],
    ] as const) {
      const response = await post('/enterprise/apply-custom', { tenant_id: 'one', enterprise_id: 'acme', ...more })
      expect(response.json()).toMatchObject({ code: 'request_invalid', errors: [{ pointer }] })
    }
  })

  it('return the first response to a retry with the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'apply-1' }
    const payload = { tenant_id: 'two', enterprise_template: 'gold' }
    const first = (await post('/enterprise/apply-template', payload, headers)).json()
    expect(first.prices_swapped).toBe(1)
    const again = await post('/enterprise/apply-template', payload, headers)
    expect([again.json(), again.headers['idempotent-replayed']]).toEqual([first, 'true'])
  })
})

describe('GET admin/enterprise/coverage', () => {
  it('marks missing negotiated prices, and lists base prices without any negotiated price', async () => {
    const nobody = (id: string) => ({
      base_price_id: id,
      cells: [
        { target: 'template:gold', price_id: null },
        { target: 'id:acme', price_id: null },
      ],
    })
    expect((await test.asAdmin({ url: `${admin}/enterprise/coverage` })).json()).toEqual({
      templates: ['gold'],
      enterprise_ids: ['acme'],
      rows: [
        {
          base_price_id: 'pro_monthly',
          cells: [
            { target: 'template:gold', price_id: 'pro_monthly_gold' },
            { target: 'id:acme', price_id: 'pro_monthly_acme' },
          ],
        },
        ...['pro_secret', 'usage_graduated', 'backstage_yearly'].map(nobody),
      ],
      gaps: 0,
      without_base: [],
    })
  })
})

describe('jobs in the HTTP API', () => {
  it('move each tenant of a template, and report their progress', async () => {
    await test.push(
      changedConfig('1.1.0', ({ products }) => {
        const gold = products.flatMap(({ prices = [] }) => prices).find(({ id }) => id === 'pro_monthly_gold')
        if (gold !== undefined) gold.amount = 950
      }),
      '?approve_impact=true',
    )
    expect(await itemOf('two')).toMatchObject({ price_id: 'pro_monthly_gold', legacy: true })
    const started = await post(
      '/enterprise/move-template',
      { enterprise_template: 'gold' },
      { 'x-ratecard-author': 'Ops', 'idempotency-key': 'move-1' },
    )
    const job = started.json()
    expect([started.statusCode, started.headers['location']]).toEqual([202, `${admin}/jobs/${job.id}`])
    expect(job).toMatchObject({ kind: 'template_move', subject: 'gold', author: 'Ops' })
    expect(await jobEnd(test, job.id)).toMatchObject({
      state: 'done',
      steps_done: job.steps_total,
      error: null,
      steps: [{ index: 0, state: 'succeeded', attempts: 1 }],
    })
    expect(await itemOf('two')).toMatchObject({ price_id: 'pro_monthly_gold', legacy: false, quantity: 7 })
    const again = await post(
      '/enterprise/move-template',
      { enterprise_template: 'gold' },
      { 'x-ratecard-author': 'Ops', 'idempotency-key': 'move-1' },
    )
    expect([again.json().id, again.headers['location']]).toEqual([job.id, started.headers['location']])
  })

  it('migrate the subscribers of a replaced price, after a plan that lists subscribers and amounts', async () => {
    await test.push(
      changedConfig('1.2.0', ({ products }) => {
        for (const price of products.flatMap(({ prices = [] }) => prices)) {
          if (price.id === 'pro_monthly_gold') price.amount = 950
          if (price.id === 'pro_monthly') price.amount = 1500
        }
      }),
      '?approve_impact=true',
    )
    const plan = await post('/migrations?dry_run=true', { price_id: 'pro_monthly', to: 'now' })
    expect([plan.statusCode, plan.json()]).toMatchObject([
      200,
      {
        price_id: 'pro_monthly',
        lines: [
          {
            tenant_id: 'one',
            quantity: 7,
            currency: 'usd',
            monthly_before: 8400,
            monthly_after: 10_500,
            skipped: null,
          },
        ],
        totals: [{ currency: 'usd', subscriptions: 1, before: 8400, after: 10_500 }],
      },
    ])
    expect((await itemOf('one')).legacy).toBe(true)
    const started = await post('/migrations', { price_id: 'pro_monthly', to: 'now' }, { 'x-ratecard-author': 'Raise' })
    expect([started.statusCode, started.json()]).toMatchObject([202, { kind: 'migration', author: 'Raise' }])
    expect(await jobEnd(test, started.json().id)).toMatchObject({ state: 'done' })
    expect(await itemOf('one')).toMatchObject({ price_id: 'pro_monthly', legacy: false, quantity: 7 })
    expect((await post('/migrations?dry_run=true', { price_id: 'pro_monthly', only: ['one'] })).json().lines).toEqual(
      [],
    )
    // Moved now, so that nothing is scheduled.
    const cancel = `${admin}/jobs/${String(started.json().id)}/cancel`
    const bare = await test.asAdmin({ method: 'POST', url: cancel })
    expect([bare.statusCode, bare.json().code]).toEqual([409, 'job_not_running'])
    const taken = await test.asAdmin({ method: 'POST', url: cancel, payload: { take_back: true } })
    expect([taken.statusCode, taken.json()]).toMatchObject([
      200,
      { state: 'done', scheduled_moves: [], take_back_job_id: null },
    ])
    const wrong = await test.asAdmin({ method: 'POST', url: cancel, payload: { take_back: 'yes' } })
    expect([wrong.statusCode, wrong.json().code]).toEqual([400, 'request_invalid'])
  })

  it('are refused for unknown prices and tenants and invalid times', async () => {
    for (const [payload, status, code] of [
      [{ price_id: 'no_such_price' }, 404, 'price_not_found'],
      [{ price_id: 'pro_monthly', only: ['nobody'] }, 404, 'tenant_not_found'],
      [{ price_id: 'pro_monthly', to: 'tomorrow' }, 400, 'request_invalid'],
      [{ price_id: 'pro_monthly', to: '2026-13-01T00:00:00Z' }, 400, 'request_invalid'],
      [{ price_id: 'pro_monthly', only: 'one' }, 400, 'request_invalid'],
      [{}, 400, 'request_invalid'],
    ] as const) {
      const response = await post('/migrations?dry_run=true', payload)
      expect([payload, response.statusCode, response.json().code]).toEqual([payload, status, code])
    }
  })

  it('are listed newest first, and can be filtered by kind', async () => {
    const { jobs, pagination } = (await test.asAdmin({ url: `${admin}/jobs?limit=100` })).json()
    expect(pagination.total).toBe(jobs.length)
    expect(jobs[0].kind).toBe('migration')
    const moves = (await test.asAdmin({ url: `${admin}/jobs?kind=template_move` })).json<{
      jobs: { subject: string }[]
    }>()
    expect(moves.jobs.map(({ subject }) => subject)).toEqual(['gold'])
    expect((await test.asAdmin({ url: `${admin}/jobs?kind=push` })).json().code).toBe('request_invalid')
  })

  it('can be neither stopped nor resumed after they have ended', async () => {
    const { jobs } = (await test.asAdmin({ url: `${admin}/jobs?kind=migration` })).json()
    for (const act of ['resume', 'cancel']) {
      const ended = await post(`/jobs/${String(jobs[0].id)}/${act}`)
      expect([act, ended.statusCode, ended.json().code]).toEqual([act, 409, 'job_not_running'])
      const unknown = await post(`/jobs/nothing/${act}`)
      expect([act, unknown.statusCode, unknown.json().code]).toEqual([act, 404, 'job_not_found'])
    }
    expect((await test.asAdmin({ url: `${admin}/jobs/nothing` })).json().code).toBe('job_not_found')
  })
})
