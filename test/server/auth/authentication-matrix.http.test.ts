// Every route with every kind of missing permission. A route without a row here fails the first test.
import type { LightMyRequestResponse } from 'fastify'
import { beforeAll, describe, expect, it } from 'vitest'
import { admin, sampleConfig, startTestApp, type TestApp } from '../../support/app.ts'
import { cookieOf, nobody, sessionOf } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'
import { defaults, reasonable, rows, type Access } from '../http/route-rows.ts'

interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly codesOf: (status: number) => readonly string[]
}

const test = startedForAll(() => startTestApp({ clock: { now: () => Date.now() + offset } }))
let offset = 0
let routes: Map<string, Route>
/** Ids that are known only after their objects were created. */
const made: Record<string, string> = {}
const secrets: string[] = []
const keys = { wrong: `rck_${'A'.repeat(43)}`, revoked: '', expired: '', read: '', write: '' }
const sessions = { other: '', expired: '', revoked: '', orphaned: '', forged: '', altered: '' }

beforeAll(async () => {
  const pushed = await test.push(sampleConfig())
  const { service } = test
  const spare = await service.createKey('spare')
  const revoked = await service.createKey('revoked')
  await service.revokeKey(revoked.id)
  keys.read = (await service.createKey('looks', { scope: 'read' })).key
  keys.write = (await service.createKey('acts')).key
  keys.expired = (await service.createKey('brief', { expiresAt: Date.now() + 60_000 })).key
  await sessionOf(test, 'acme')
  const expired = await service.createSession('acme', 60)
  offset += 60_000
  const ended = await service.createSession('acme', null)
  await service.revokeSession(ended.id)
  sessions.orphaned = await sessionOf(test, 'gone')
  await service.removeTenant('gone', nobody)
  const genuine = await service.createSession('acme', null)
  const elsewhere = await startTestApp()
  sessions.forged = await sessionOf(elsewhere, 'acme')
  await elsewhere.close()
  sessions.other = await sessionOf(test, 'rival')
  sessions.expired = expired.value
  sessions.revoked = ended.value
  sessions.altered = genuine.value.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
  keys.revoked = revoked.key
  Object.assign(made, { push: pushed.json().push_id, session: genuine.id, key: spare.id })
  secrets.push(test.key, spare.key, genuine.value, ...Object.values(keys), ...Object.values(sessions))
  routes = routesOf(test.app.swagger())
})

interface Described {
  readonly operationId?: string
  readonly responses?: Record<string, { readonly content?: Record<string, { readonly schema?: unknown }> }>
}

function routesOf(document: { readonly paths?: object }): Map<string, Route> {
  const found = new Map<string, Route>()
  for (const [path, operations] of Object.entries(document.paths ?? {}))
    for (const [method, { operationId = '', responses = {} }] of Object.entries(
      operations as Record<string, Described>,
    ))
      found.set(operationId, {
        method: method.toUpperCase() as Route['method'],
        path,
        codesOf: (status) => JSON.stringify(responses[String(status)] ?? '').match(/[a-z]+(?:_[a-z]+)+/g) ?? [],
      })
  return found
}

/** Sends the route's request with these headers. Other tests check the content of the responses. */
function ask(id: string, headers: Record<string, string>, query = ''): Promise<LightMyRequestResponse> {
  const route = routes.get(id)
  const row = rows[id]
  if (route === undefined || row === undefined) throw new Error(`no route ${id}`)
  const given: Readonly<Record<string, string>> = { ...defaults, ...row.at }
  const url = route.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = given[name]
    if (value === undefined) throw new Error(`no value for {${name}} of ${id}`)
    return made[value] ?? value
  })
  return test.app.inject({
    method: route.method,
    url: [url, row.query ?? '', query].join('').replace(/(\?.*)\?/s, '$1&'),
    headers,
    ...(row.body === undefined ? {} : { payload: row.body }),
  })
}

/** True for requests that change nothing: requests without a body, and those listed here, of which the last six are dry runs. */
const isRead = (id: string) =>
  routes.get(id)?.method === 'GET' ||
  ['validateConfig', 'calculatePrice', 'checkEntitlements', 'receiveProcessorEvent'].includes(id)
const dryRuns = [
  ...['pushConfig', 'rollbackConfig', 'startMigration', 'applyTemplate', 'applyCustom', 'removeEnterprise'],
  ...['addDiscount', 'removeDiscount'],
]

/** Requests that need a key of scope `owner`. */
const ownersOnly = ['putPolicies']

const idsWith = (...accesses: Access[]) =>
  Object.entries(rows).flatMap(([id, { access }]) => (accesses.includes(access) ? [id] : []))

/** Returns the refusal without the parts that differ between requests. Fails if it contains more than every refusal does. */
function refusalOf(id: string, response: LightMyRequestResponse): Record<string, unknown> {
  const { instance, ...problem } = response.json<Record<string, unknown>>()
  expect(instance).toBe(`urn:request:${String(response.headers['x-request-id'])}`)
  expect(Object.keys(problem).filter((name) => name !== 'hint')).toEqual(['type', 'title', 'status', 'detail', 'code'])
  expect(problem['status']).toBe(response.statusCode)
  expect(routes.get(id)?.codesOf(response.statusCode)).toContain(problem['code'])
  expect(response.headers['content-type']).toMatch(/^application\/problem\+json/)
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.headers['set-cookie']).toBeUndefined()
  const told = response.body + JSON.stringify(response.headers)
  const hidden = problem['code'] === 'service_key_expired' ? [] : ['expired']
  for (const secret of [...secrets, ...hidden, 'acme', 'rival', 'gone', 'revoked', '.ts:'])
    expect(told.includes(secret), `${id} tells ${secret}`).toBe(false)
  return problem
}

/** Checks that each route refuses the headers with this status and code, and with the same text. */
async function refuseAll(ids: readonly string[], headers: Record<string, string>, status: number, code: string) {
  const words = new Set<string>()
  for (const id of ids) {
    const response = await ask(id, headers)
    expect([id, response.statusCode, response.json().code]).toEqual([id, status, code])
    words.add(JSON.stringify(refusalOf(id, response)))
  }
  expect(words.size).toBe(1)
  return [...words][0]
}

/** Reads all state that a request could have changed. */
async function stateOf({ service }: TestApp) {
  const page = { limit: 100, offset: 0 }
  return {
    config: await service.fullConfig(),
    versions: await service.history(page),
    pushes: await service.listPushes(page),
    policies: await service.policies(page),
    keys: (await service.listKeys()).map(({ lastUsedAt: _used, ...rest }) => rest),
    tenants: await service.listTenants(page),
    audit: await service.tenantAudit('acme', page),
    subscriptions: await service.tenantSubscriptions('acme'),
    jobs: await service.listJobs(page),
    processor: (await service.processorEvents({ after: null, types: [] })).last,
  }
}

describe('the table of routes and their authentication', () => {
  it('has a row for each route, and no other rows', () => {
    expect(Object.keys(rows).sort()).toEqual([...routes.keys()].sort())
  })

  it('matches the authentication in the API description of each route', () => {
    const documented = Object.values(test.app.swagger().paths ?? {})
      .flatMap((operations) => Object.values(operations as Record<string, { operationId: string; security: object[] }>))
      .map(({ operationId, security }) => {
        const schemes = security.map((way) => Object.keys(way).join())
        const access = {
          '': 'open',
          ',ServiceKey': 'public',
          'SessionCookie,ServiceKey': 'session',
          ServiceKey: 'key',
        }[schemes.join()]
        return [operationId, access]
      })
    expect(Object.fromEntries(documented)).toEqual(
      Object.fromEntries(Object.entries(rows).map(([id, { access }]) => [id, access])),
    )
  })
})

describe('a request without permission', () => {
  let before: Awaited<ReturnType<typeof stateOf>>
  beforeAll(async () => {
    before = await stateOf(test)
  })

  it('gets service_key_missing if it has no key', async () => {
    await refuseAll(idsWith('key'), {}, 401, 'service_key_missing')
    await refuseAll(idsWith('session'), {}, 401, 'service_key_missing')
    await refuseAll(idsWith('session'), { cookie: 'ratecard_session=' }, 401, 'service_key_missing')
  })

  it('gets the same error for a wrong and a revoked key, even on public routes', async () => {
    const ids = idsWith('key', 'session', 'public')
    const wrong = await refuseAll(ids, { 'x-service-key': keys.wrong }, 401, 'service_key_invalid')
    expect(await refuseAll(ids, { 'x-service-key': keys.revoked }, 401, 'service_key_invalid')).toBe(wrong)
    // A valid session does not make up for a wrong key.
    const both = { 'x-service-key': keys.wrong, cookie: cookieOf(sessions.other) }
    expect(await refuseAll(ids, both, 401, 'service_key_invalid')).toBe(wrong)
  })

  it('gets key_expired with an expired key, on each route', async () => {
    const ids = idsWith('key', 'session', 'public')
    await refuseAll(ids, { 'x-service-key': keys.expired }, 401, 'service_key_expired')
  })

  it('changes nothing with a read key, even if it requests a dry run from a route without dry runs', async () => {
    const header = { 'x-service-key': keys.read }
    const closed = idsWith('key', 'session').filter((id) => !isRead(id) && ![...dryRuns, ...ownersOnly].includes(id))
    await refuseAll(closed, header, 403, 'key_scope')
    await refuseAll(ownersOnly, header, 403, 'key_scope')
    for (const id of closed) {
      const response = await ask(id, header, '?dry_run=true')
      expect([id, response.json().code]).toEqual([id, 'key_scope'])
    }
    await refuseAll(dryRuns, header, 403, 'key_scope')
    for (const query of ['?dry_run=false', '?dry_run=1', '?dry_run=TRUE', '?dry_run=true&dry_run=false', '?dry_run'])
      for (const id of dryRuns) {
        const response = await ask(id, header, query)
        expect([id, query, response.json().code]).toEqual([id, query, 'key_scope'])
      }
  })

  it('can neither set policies, create an owner key, nor override a policy if its key has the scope write', async () => {
    const header = { 'x-service-key': keys.write }
    await refuseAll(ownersOnly, header, 403, 'key_scope')
    const asked = (url: string, payload?: object) =>
      test.app.inject({
        method: 'POST',
        url: `${admin}${url}`,
        headers: { ...header, 'x-ratecard-message': 'why' },
        ...(payload === undefined ? {} : { payload }),
      })
    for (const response of [
      await asked('/keys', { name: 'mine', scope: 'owner' }),
      await asked('/config?override=p', sampleConfig()),
      await asked('/config/rollback?override=p', { revision: 1 }),
      await asked('/config/reset?override=p'),
      await asked('/migrations?override=p', { price_id: 'pro_monthly' }),
      await asked('/enterprise/remove?override=p', { tenant_id: 'acme' }),
    ])
      expect([response.statusCode, response.json().code]).toEqual([403, 'key_scope'])
  })

  it('is refused on routes that require a key, even with a valid session', async () => {
    await refuseAll(idsWith('key'), { cookie: cookieOf(sessions.other) }, 403, 'not_allowed')
  })

  it('cannot act for another tenant with a session of its own tenant', async () => {
    await refuseAll(idsWith('session'), { cookie: cookieOf(sessions.other) }, 403, 'not_allowed')
  })

  it('gets the same error for sessions that have expired, were revoked, belong to a removed tenant, or never existed', async () => {
    const { other: _genuine, ...dead } = sessions
    const said = new Set<string | undefined>()
    const asked = new Set<string | undefined>()
    for (const value of [...Object.values(dead), 'x', 'a.b.c', '%00', 'ses_1..', 'A'.repeat(3000)]) {
      said.add(await refuseAll(idsWith('session'), { cookie: cookieOf(value) }, 401, 'session_invalid'))
      asked.add(await refuseAll(idsWith('key').slice(0, 3), { cookie: cookieOf(value) }, 401, 'service_key_missing'))
    }
    expect([said.size, asked.size]).toEqual([1, 1])
    for (const value of Object.values(dead))
      await refuseAll(idsWith('key'), { cookie: cookieOf(value) }, 401, 'service_key_missing')
  })

  it('gets the public response of public routes, whatever its cookie is', async () => {
    for (const id of idsWith('public', 'open').filter((one) => reasonable[one] === undefined)) {
      const plain = await ask(id, {})
      expect([id, plain.statusCode]).toEqual([id, 200])
      for (const value of [sessions.other, sessions.forged]) {
        const response = await ask(id, { cookie: cookieOf(value) })
        expect([id, response.statusCode, response.headers['etag']]).toEqual([id, 200, plain.headers['etag']])
        if (id !== 'getHealth') expect(response.body).toBe(plain.body)
      }
    }
  })

  it('changes no record of the service and no object at the processor', async () => {
    expect(await stateOf(test)).toEqual(before)
  })
})

describe('a request with a read key', () => {
  it('can read all routes, validate and make dry runs, which change nothing', async () => {
    const before = await stateOf(test)
    const open = Object.keys(rows).filter((id) => isRead(id) || dryRuns.includes(id))
    for (const id of open) {
      const response = await ask(id, { 'x-service-key': keys.read }, dryRuns.includes(id) ? '?dry_run=true' : '')
      expect([id, response.statusCode >= 400 ? response.json().code : 'done']).toEqual([id, reasonable[id] ?? 'done'])
    }
    expect(await stateOf(test)).toEqual(before)
  })

  it('is allowed exactly on the routes whose scopes include read', () => {
    const described = Object.values(test.app.swagger().paths ?? {})
      .flatMap((operations) =>
        Object.values(operations as Record<string, { operationId: string; 'x-key-scope': string }>),
      )
      .map(({ operationId, 'x-key-scope': scope }) => [operationId, scope])
    const expected = Object.keys(rows).map((id) => [
      id,
      isRead(id) ? 'read' : dryRuns.includes(id) ? 'dry_run' : ownersOnly.includes(id) ? 'owner' : 'write',
    ])
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(expected))
  })

  it('gets a 404 for an unknown route', async () => {
    const response = await test.app.inject({ url: `${admin}/no-such-route`, headers: { 'x-service-key': keys.read } })
    expect([response.statusCode, response.json().code]).toEqual([404, 'route_not_found'])
  })

  it('gets webhooks without their secrets', async () => {
    const [seen] = (await ask('listWebhooks', { 'x-service-key': keys.read })).json().webhooks
    const [whole] = (await ask('listWebhooks', { 'x-service-key': test.key })).json().webhooks
    expect(whole.secret).toMatch(/^whsec_/)
    expect(seen).toEqual({ ...whole, secret: null })
  })
})

describe('a request with a permitted key', () => {
  it('succeeds on the routes that refuse requests without permission', async () => {
    const ends: Record<string, string> = {}
    for (const id of Object.keys(rows)) {
      const response = await ask(id, { 'x-service-key': test.key })
      if (response.statusCode >= 400) ends[id] = response.json<{ code: string }>().code
    }
    expect(ends).toEqual(reasonable)
  })
})
