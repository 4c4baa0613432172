import { describe, expect, it } from 'vitest'
import { admin, billing, changedConfig, sampleConfig, startTestApp } from '../support/app.ts'
import { startedForAll } from '../support/started.ts'

const test = startedForAll(startTestApp)

const post = (url: string, payload: object = {}, headers: Record<string, string> = {}) =>
  test.asAdmin({ method: 'POST', url: `${admin}${url}`, payload, headers })
const get = (url: string) => test.asAdmin({ url: `${admin}${url}` })
const dearer = (version: string, amount: number) =>
  changedConfig(version, ({ products }) => void ((products[1]?.prices ?? [])[0]!.amount = amount))

describe('before the first push over HTTP,', () => {
  it('there is no current configuration, and each list is empty', async () => {
    for (const url of [
      `${billing}/config`,
      `${billing}/config/prices/x`,
      `${billing}/config/products/x`,
      `${billing}/config/meters/x`,
    ])
      expect((await test.inject({ url })).json().code).toBe('config_not_found')
    expect((await get('/config')).json().code).toBe('config_not_found')
    expect((await get('/config/drift')).json().code).toBe('config_not_found')
    expect((await get('/config/history')).json()).toEqual({
      versions: [],
      pagination: { total: 0, limit: 10, offset: 0, has_more: false },
    })
    expect((await get('/pushes')).json().pushes).toEqual([])
    expect((await get('/webhooks')).json()).toEqual({ webhooks: [] })
    expect((await get('/enterprise/prices/by-template/gold')).json()).toEqual({ prices: [] })
    expect((await test.inject({ url: `${billing}/convert/processor-id/x` })).json().code).toBe('mapping_not_found')
  })
})

describe('a push over HTTP', () => {
  it('returns a plan and writes nothing if it is a dry run', async () => {
    const response = await test.push(sampleConfig(), '?dry_run=true')
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({ status: 'planned', revision: null, push_id: null })
    expect(response.json().details[0]).toMatchObject({
      kind: 'meter',
      config_id: 'api_calls',
      action: 'create',
      processor_id_before: null,
    })
    expect((await get('/pushes')).json().pagination.total).toBe(0)
    expect((await get('/config')).statusCode).toBe(404)
  })

  it('is applied and recorded with its author and message, and an equal second push changes nothing', async () => {
    const response = await post('/config', sampleConfig(), {
      'x-ratecard-author': encodeURIComponent('Zoë → ops'),
      'x-ratecard-message': 'first, 100% sure',
    })
    expect(response.json()).toMatchObject({ status: 'applied', version: '1.0.0', revision: 1 })
    const { push_id: id } = response.json()
    const push = (await get(`/pushes/${id}`)).json()
    expect(push).toMatchObject({
      id,
      state: 'applied',
      revision: 1,
      author: 'Zoë → ops',
      message: 'first, 100% sure',
      error: null,
    })
    expect(push.steps).toHaveLength(push.steps_total)
    expect(push.steps_done).toBe(push.steps_total)
    const again = (await test.push(sampleConfig())).json()
    expect(again).toMatchObject({ status: 'unchanged', revision: 1, writes: 0 })
    expect((await get('/pushes')).json()).toMatchObject({
      pushes: [{ id, state: 'applied' }],
      pagination: { total: 1 },
    })
  })

  it('is refused with all errors of the document', async () => {
    const response = await post('/config', { version: '1', products: [], coupns: [] })
    expect([response.statusCode, response.json().code]).toEqual([422, 'config_invalid'])
    const pointers = response.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer)
    expect(pointers).toEqual(expect.arrayContaining(['#/version', '#/coupns', '#/products']))
    const verdict = await post('/config/validate', { version: '1', products: [], coupns: [] })
    expect(verdict.statusCode).toBe(200)
    expect(verdict.json()).toMatchObject({ valid: false, errors: response.json().errors })
  })

  it('returns 202 and the push’s location with respond-async, and the event stream of the push ends with its result', async () => {
    const response = await post('/config', dearer('1.1.0', 1300), { prefer: 'respond-async' })
    expect(response.statusCode).toBe(202)
    const { push_id: id } = response.json()
    expect(response.headers['location']).toBe(`${admin}/pushes/${id}`)
    const events = await get(`/pushes/${id}/events`)
    expect(events.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    const states = [...events.body.matchAll(/^event: state\ndata: (.*)$/gm)].map(
      (match) => JSON.parse(match[1] ?? '') as { state: string },
    )
    expect(states.at(-1)).toMatchObject({ push_id: id, state: 'applied' })
    const steps = [...events.body.matchAll(/^event: step\ndata: (.*)$/gm)].map(
      (match) => JSON.parse(match[1] ?? '') as object,
    )
    expect(steps.at(-1)).toMatchObject({ push_id: id, step: { state: 'succeeded', attempts: 1 } })
    expect((await get(`/pushes/${id}`)).json()).toMatchObject({ state: 'applied', revision: 2 })
  })

  it('returns 200 immediately if nothing changed, even with respond-async', async () => {
    const response = await post('/config', dearer('1.1.0', 1300), { prefer: 'wait=10, respond-async' })
    expect([response.statusCode, response.json().status]).toEqual([200, 'unchanged'])
  })

  it('is executed once per Idempotency-Key: a retry gets the first response, and another body with the key is refused', async () => {
    const headers = { 'idempotency-key': 'deploy-42' }
    const first = await post('/config', dearer('1.2.0', 1400), headers)
    expect(first.json()).toMatchObject({ status: 'applied', revision: 3 })
    const second = await post('/config', dearer('1.2.0', 1400), headers)
    expect(second.body).toBe(first.body)
    expect(second.headers['idempotent-replayed']).toBe('true')
    const other = await post('/config', dearer('1.3.0', 1500), headers)
    expect([other.statusCode, other.json().code]).toEqual([409, 'idempotency_key_reused'])
    expect((await get('/config')).json().revision).toBe(3)
    for (const key of ['', 'with space', 'x'.repeat(256)]) {
      const response = await post('/config', sampleConfig(), { 'idempotency-key': key })
      expect([key, response.statusCode, response.json().code]).toEqual([key, 400, 'request_invalid'])
    }
  })

  it('does not use up its Idempotency-Key if it fails before its first step', async () => {
    const headers = { 'idempotency-key': 'deploy-43' }
    expect((await post('/config', { version: '1' }, headers)).statusCode).toBe(422)
    expect((await post('/config', dearer('1.3.0', 1600), headers)).json().status).toBe('applied')
  })

  it('gets a 409 immediately while another push runs', async () => {
    const [first, second] = await Promise.all([
      post('/config', dearer('1.4.0', 1700)),
      post('/config', dearer('1.4.0', 1700)),
    ])
    const statuses = [first.statusCode, second.statusCode].sort()
    expect(statuses).toEqual([200, 409])
    const refused = first.statusCode === 409 ? first : second
    expect(refused.json().code).toBe('push_in_progress')
  })
})

describe('a read of the configuration', () => {
  it('returns the whole document with processor ids', async () => {
    const { config } = (await get('/config')).json()
    expect(config.webhooks[0]).toMatchObject({ id: 'main_hook', processor_id: expect.stringMatching(/^we_/) })
    expect(config.coupons[0]).toMatchObject({ id: 'welcome', processor_id: expect.any(String) })
    expect(config.promotion_codes[0]).toMatchObject({ id: 'hello', processor_id: expect.any(String) })
    expect(config.products[1].prices).toHaveLength(4)
  })

  it('lists the history in pages, newest first', async () => {
    const page = (await get('/config/history?limit=2&offset=1')).json()
    expect(page.pagination).toEqual({ total: 5, limit: 2, offset: 1, has_more: true })
    expect(page.versions).toMatchObject([
      { revision: 4, version: '1.3.0' },
      { revision: 3, version: '1.2.0' },
    ])
    expect(page.versions[0]).toMatchObject({
      kind: 'push',
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      changes: { prices: { updated: ['pro_monthly'] } },
    })
    expect((await get('/config/history?offset=4')).json().pagination.has_more).toBe(false)
  })

  it('returns each revision with its document as it was pushed, and the difference between any two revisions', async () => {
    const one = (await get('/config/history/1')).json()
    expect(one).toMatchObject({ revision: 1, author: 'Zoë → ops', document: sampleConfig() })
    const diff = (await get('/config/history/1/diff/2')).json()
    expect(diff).toEqual({
      from: 1,
      to: 2,
      differences: [
        {
          kind: 'price',
          config_id: 'pro_monthly',
          change: 'changed',
          action: 'replace',
          fields: [{ field: 'amount', before: 1200, after: 1300 }],
          display: { before: '$12.00 / month', after: '$13.00 / month' },
        },
      ],
    })
    for (const url of ['/config/history/99', '/config/history/1/diff/99', '/config/history/99/diff/1']) {
      const response = await get(url)
      expect([url, response.statusCode, response.json().code]).toEqual([url, 404, 'revision_not_found'])
    }
  })

  it('lists webhooks with the secret that the processor returned at their creation', async () => {
    const { webhooks } = (await get('/webhooks')).json()
    expect(webhooks).toEqual([
      {
        id: 'main_hook',
        url: 'https://hooks.example.test/billing',
        events: ['invoice.paid', 'invoice.created'],
        processor_id: expect.stringMatching(/^we_/),
        secret: expect.stringMatching(/^whsec_/),
        secret_known: true,
        created_at: expect.any(String),
      },
    ])
  })

  it('lists enterprise prices by template and by id', async () => {
    expect((await get('/enterprise/prices/by-template/gold')).json().prices).toMatchObject([
      { id: 'pro_monthly_gold', amount: 1000 },
    ])
    expect((await get('/enterprise/prices/by-id/acme')).json().prices).toMatchObject([
      { id: 'pro_monthly_acme', amount: 800 },
    ])
    expect((await get('/enterprise/prices/by-id/gold')).json()).toEqual({ prices: [] })
  })

  it('gets a 404 for an unknown push, on each of its routes', async () => {
    for (const request of [get('/pushes/none'), get('/pushes/none/events'), post('/pushes/none/resume')])
      expect((await request).json().code).toBe('push_not_found')
    const [{ id }] = (await get('/pushes')).json().pushes
    const resumed = await post(`/pushes/${id}/resume`)
    expect([resumed.statusCode, resumed.json().code]).toEqual([409, 'push_not_resumable'])
  })
})

describe('pull and drift over HTTP:', () => {
  it('a pull returns what a push created, so that pushing it again changes nothing', async () => {
    const response = await get('/config/pull')
    expect(response.headers['x-ratecard-unrepresented']).toBe('0')
    expect((await post('/config/validate', response.json())).json()).toMatchObject({ valid: true, errors: [] })
    expect((await test.push(response.json())).json().status).toBe('unchanged')
    const report = (await get('/config/pull?report=true')).json()
    expect(report).toEqual({ document: response.json(), unrepresented: [] })
  })

  it('a drift check after a push reports no drift', async () => {
    expect((await get('/config/drift')).json()).toMatchObject({ in_sync: true, differences: [], unmanaged: [] })
  })
})

describe('rollback and reset over HTTP:', () => {
  it('a rollback restores an earlier revision under a new number, with its original processor price', async () => {
    const response = await post('/config/rollback', { revision: 1 })
    expect(response.json()).toMatchObject({ status: 'applied', version: '1.0.0', revision: 6 })
    const unknown = await post('/config/rollback', { revision: 77 })
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'revision_not_found'])
  })

  it('a reset archives all objects, lists the kept webhooks, and leaves no current configuration', async () => {
    const response = await test.asAdmin({ method: 'POST', url: `${admin}/config/reset` })
    expect(response.statusCode).toBe(200)
    const { archived, errors, revision } = response.json()
    expect(errors).toEqual([])
    expect(revision).toBe(7)
    expect(archived).toMatchObject({
      products: expect.arrayContaining(['pro']),
      meters: ['api_calls'],
      coupons: ['welcome'],
      promotion_codes: ['hello'],
    })
    expect((await test.inject({ url: `${billing}/config` })).json().code).toBe('config_not_found')
    expect((await get('/config/history?limit=1')).json().versions[0]).toMatchObject({ kind: 'reset', checksum: '' })
    expect((await get('/config/history/7')).json().document).toBeNull()
    expect(
      (await get('/config/history/6/diff/7'))
        .json<{ differences: { change: string }[] }>()
        .differences.every(({ change }) => change === 'removed'),
    ).toBe(true)
    expect((await get('/webhooks')).json().webhooks).toMatchObject([{ id: 'main_hook', secret_known: true }])
    const scope = await test.asAdmin({ method: 'POST', url: `${admin}/config/reset?scope=everything` })
    expect([scope.statusCode, scope.json().errors[0].pointer]).toEqual([400, '#/query/scope'])
  })
})
