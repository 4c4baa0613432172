import { describe, expect, it } from 'vitest'
import { admin, startPushedApp, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startPushedApp)

const tenants = `${admin}/tenants`
const create = (payload: object, headers = {}) => test.asAdmin({ method: 'POST', url: tenants, payload, headers })
const issuesOf = (response: { json(): { errors?: { pointer: string; code: string; hint?: string }[] } }) =>
  (response.json().errors ?? []).map(({ pointer, code }) => [pointer, code])

describe('POST admin/tenants', () => {
  it('creates a tenant with the id in the request, and returns a Location header', async () => {
    const response = await create({ id: 'acme', name: 'Acme GmbH', email: 'bill@acme.test' })
    expect([response.statusCode, response.headers['location']]).toEqual([201, `${tenants}/acme`])
    expect(response.json()).toEqual({
      id: 'acme',
      name: 'Acme GmbH',
      email: 'bill@acme.test',
      processor_customer_id: null,
      enterprise_template: null,
      enterprise_id: null,
      enterprise_ends_at: null,
      enterprise_then: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    const found = await test.asAdmin({ url: response.headers['location'] ?? '' })
    expect([found.statusCode, found.json()]).toEqual([200, response.json()])
  })

  it('generates an id if the request has none', async () => {
    const [first, second] = [await create({ name: 'One' }), await create({ name: 'Two' })]
    expect(first.json().id).toMatch(/^ten_/)
    expect(second.json().id).not.toBe(first.json().id)
    expect((await test.asAdmin({ url: String(first.headers['location']) })).json().name).toBe('One')
  })

  it('refuses an id or a customer that another tenant already has', async () => {
    await create({ id: 'taken', name: 'T', processor_customer_id: 'cus_taken' })
    for (const payload of [
      { id: 'taken', name: 'T' },
      { id: 'free', name: 'F', processor_customer_id: 'cus_taken' },
    ]) {
      const response = await create(payload)
      expect([response.statusCode, response.json().code]).toEqual([409, 'conflict'])
    }
    expect((await test.asAdmin({ url: `${tenants}/free` })).statusCode).toBe(404)
  })

  it('reports each invalid member, with a suggestion for a mistyped member', async () => {
    const response = await create({ id: '', name: '', emial: 'x@y.test', processor_customer_id: 7 })
    expect([response.statusCode, response.json().code]).toEqual([400, 'request_invalid'])
    expect(issuesOf(response)).toEqual(
      expect.arrayContaining([
        ['#/id', 'value_invalid'],
        ['#/name', 'value_invalid'],
        ['#/emial', 'field_unknown'],
        ['#/processor_customer_id', 'type_wrong'],
      ]),
    )
    expect(JSON.stringify(response.json().errors)).toContain('email')
    for (const payload of [
      { id: '../x', name: 'X' },
      { id: 'a/b', name: 'X' },
      { name: 'X', email: 'nobody' },
    ])
      expect((await create(payload)).json().code).toBe('request_invalid')
  })

  it('creates one tenant for two requests with one Idempotency-Key, and refuses the key with another body', async () => {
    const headers = { 'idempotency-key': 'tenant-1' }
    const first = await create({ name: 'Once' }, headers)
    const again = await create({ name: 'Once' }, headers)
    expect([again.statusCode, again.headers['idempotent-replayed'], again.headers['location']]).toEqual([
      201,
      'true',
      first.headers['location'],
    ])
    expect(again.json()).toEqual(first.json())
    const other = await create({ name: 'Another' }, headers)
    expect([other.statusCode, other.json().code]).toEqual([409, 'idempotency_key_reused'])
  })

  it('does not store a failure under the idempotency key, so the corrected request succeeds', async () => {
    const headers = { 'idempotency-key': 'tenant-2' }
    await create({ id: 'held', name: 'H' })
    expect((await create({ id: 'held', name: 'Other' }, headers)).statusCode).toBe(409)
    await test.asAdmin({ method: 'DELETE', url: `${tenants}/held` })
    expect((await create({ id: 'held', name: 'Other' }, headers)).statusCode).toBe(201)
  })
})

describe('GET admin/tenants', () => {
  it('lists tenants by id, in pages, and can filter them by customer', async () => {
    const list = async (query: string) =>
      (await test.asAdmin({ url: `${tenants}?${query}` })).json<{ tenants: { id: string }[]; pagination: object }>()
    const all = await list('limit=100')
    const ids = all.tenants.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(4)
    expect(ids).toEqual([...ids].sort())
    expect(all.pagination).toEqual({ total: ids.length, limit: 100, offset: 0, has_more: false })
    const page = await list('limit=2&offset=1')
    expect(page.tenants.map(({ id }) => id)).toEqual(ids.slice(1, 3))
    expect(page.pagination).toMatchObject({ has_more: true })
    const found = await list('processor_customer_id=cus_taken')
    expect(found.tenants.map(({ id }) => id)).toEqual(['taken'])
    expect((await list('enterprise_template=gold')).tenants).toEqual([])
    expect((await list('enterprise_id=acme')).tenants).toEqual([])
  })

  it('refuses limits out of range and unknown filters', async () => {
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'name=Acme', 'processor_customer_id='])
      expect([query, (await test.asAdmin({ url: `${tenants}?${query}` })).json().code]).toEqual([
        query,
        'request_invalid',
      ])
  })
})

describe('a tenant in the API', () => {
  it('can be updated member by member, and null clears a member', async () => {
    await create({ id: 'changing', name: 'Before', email: 'a@b.test' })
    const patch = (payload: object) =>
      test.asAdmin({
        method: 'PATCH',
        url: `${tenants}/changing`,
        payload,
        headers: { 'x-ratecard-author': 'Zo%C3%AB', 'x-request-id': 'change-1' },
      })
    expect((await patch({ name: 'After' })).json()).toMatchObject({ name: 'After', email: 'a@b.test' })
    expect((await patch({ email: null })).json()).toMatchObject({ name: 'After', email: null })
    const customer = await patch({ processor_customer_id: 'cus_taken' })
    expect([customer.statusCode, customer.json().code]).toEqual([409, 'conflict'])
    for (const payload of [{}, { name: null }, { id: 'other' }, { enterprise_template: 'gold' }])
      expect([payload, (await patch(payload)).statusCode]).toEqual([payload, 400])
    const audit = (await test.asAdmin({ url: `${tenants}/changing/audit` })).json<{
      entries: { action: string }[]
      pagination: object
    }>()
    expect(audit.entries.map(({ action }) => action)).toEqual(['tenant_updated', 'tenant_updated', 'tenant_created'])
    expect(audit.entries[1]).toMatchObject({
      before: { name: 'Before' },
      after: { name: 'After' },
      author: 'Zoë',
      key_id: expect.stringMatching(/^key_/),
      request_id: 'change-1',
    })
    expect(audit.pagination).toMatchObject({ total: 3 })
    const page = (await test.asAdmin({ url: `${tenants}/changing/audit?limit=1&offset=2` })).json()
    expect(page.entries).toMatchObject([{ action: 'tenant_created', before: null }])
  })

  it('can be removed with DELETE, and its audit log is kept', async () => {
    await create({ id: 'leaving', name: 'L' })
    const gone = await test.asAdmin({ method: 'DELETE', url: `${tenants}/leaving` })
    expect([gone.statusCode, gone.body]).toEqual([204, ''])
    for (const request of [
      { url: `${tenants}/leaving` },
      { url: `${tenants}/leaving/subscriptions` },
      { url: `${tenants}/leaving/upcoming-invoice` },
      { method: 'DELETE' as const, url: `${tenants}/leaving` },
      { method: 'PATCH' as const, url: `${tenants}/leaving`, payload: { name: 'X' } },
    ]) {
      const response = await test.asAdmin(request)
      expect([request, response.statusCode, response.json().code]).toEqual([request, 404, 'tenant_not_found'])
    }
    expect((await test.asAdmin({ url: `${tenants}/leaving/audit` })).json().entries[0].action).toBe('tenant_deleted')
    const never = await test.asAdmin({ url: `${tenants}/never/audit` })
    expect([never.statusCode, never.json().code]).toEqual([404, 'tenant_not_found'])
  })

  it('has no subscriptions and no invoice before its first purchase', async () => {
    await create({ id: 'new', name: 'New' })
    expect((await test.asAdmin({ url: `${tenants}/new/subscriptions` })).json()).toEqual({
      tenant_id: 'new',
      billing_status: 'none',
      subscriptions: [],
    })
    expect((await test.asAdmin({ url: `${tenants}/new/upcoming-invoice` })).json()).toEqual({
      tenant_id: 'new',
      currency: null,
      subtotal: null,
      total: null,
      amount_due: null,
      credits_applied: null,
      balance: null,
      balance_applied: null,
      due_at: null,
      formatted: null,
      lines: [],
      invoices: [],
      dropped_usage: [],
    })
  })
})

describe('customer sessions in the API', () => {
  const mint = (payload: object, headers = {}) =>
    test.asAdmin({ method: 'POST', url: `${admin}/sessions`, payload, headers })

  it('are returned as a cookie for browsers and as a value for servers', async () => {
    await create({ id: 'visitor', name: 'V' })
    const response = await mint({ tenant_id: 'visitor' }, { host: 'localhost:4242' })
    const session = response.json()
    expect([response.statusCode, session.tenant_id]).toEqual([201, 'visitor'])
    expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(86_400_000)
    expect(response.headers['set-cookie']).toBe(
      `ratecard_session=${session.value}; Max-Age=86400; Path=/; HttpOnly; SameSite=Lax`,
    )
    expect(response.headers['cache-control']).toBe('no-store')
    const short = await mint({ tenant_id: 'visitor', ttl_seconds: 60 }, { host: 'billing.example.test' })
    expect(short.headers['set-cookie']).toMatch(/; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  })

  it('may last from one minute to thirty days, and require an existing tenant', async () => {
    for (const ttl of [59, 2_592_001, 1.5, '60', null]) {
      const response = await mint({ tenant_id: 'visitor', ttl_seconds: ttl })
      expect([ttl, response.statusCode, issuesOf(response)[0]?.[0]]).toEqual([ttl, 400, '#/ttl_seconds'])
    }
    expect((await mint({ tenant_id: 'visitor', ttl_seconds: 2_592_000 })).statusCode).toBe(201)
    const nobody = await mint({ tenant_id: 'nobody' })
    expect([nobody.statusCode, nobody.json().code]).toEqual([404, 'tenant_not_found'])
    expect(issuesOf(await mint({ tenant: 'visitor' }))).toEqual(
      expect.arrayContaining([
        ['#/tenant_id', 'field_missing'],
        ['#/tenant', 'field_unknown'],
      ]),
    )
  })

  it('end when they are revoked, and can be revoked only once', async () => {
    const { id } = (await mint({ tenant_id: 'visitor' })).json()
    expect((await test.asAdmin({ method: 'DELETE', url: `${admin}/sessions/${id}` })).statusCode).toBe(204)
    const again = await test.asAdmin({ method: 'DELETE', url: `${admin}/sessions/${id}` })
    expect([again.statusCode, again.json().code]).toEqual([404, 'session_not_found'])
  })

  it.each([
    ['https://billing.example.test', 'localhost', true],
    // The public URL that the server assumes from its own host and port, behind a proxy.
    ['http://127.0.0.1:4242', 'billing.example.test', true],
    ['http://127.0.0.1:4242', 'localhost:4242', false],
  ])('of a service at %s requested at %s have a cookie with Secure: %s', async (publicUrl, host, secure) => {
    const other = await startTestApp({ publicUrl })
    try {
      await other.service.createTenant({ id: 't', name: 'T' }, { author: null, by: null, requestId: null })
      const request = {
        method: 'POST',
        url: `${admin}/sessions`,
        payload: { tenant_id: 't' },
        headers: { host },
      } as const
      expect(String((await other.asAdmin(request)).headers['set-cookie']).includes('; Secure;')).toBe(secure)
    } finally {
      await other.close()
    }
  })
})
