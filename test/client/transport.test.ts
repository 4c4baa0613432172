import { describe, expect, it } from 'vitest'
import { createClient, type ClientOptions } from '../../packages/client/src/client.ts'
import { camel, snake } from '../../packages/client/src/names.generated.ts'

interface Sent {
  readonly url: string
  readonly init: RequestInit
  readonly headers: Headers
  readonly body: unknown
}

/** Creates a client without a network: each request gets the next of `answers`. */
function answering(answers: readonly (Response | Error)[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = []
  const fake: typeof fetch = (input, init = {}) => {
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    sent.push({
      url: input instanceof Request ? input.url : String(input),
      init,
      headers: new Headers(init.headers),
      body,
    })
    const answer = answers[sent.length - 1]
    return answer instanceof Response ? Promise.resolve(answer) : Promise.reject(answer ?? new Error('asked too often'))
  }
  return { sent, client: createClient({ baseUrl: 'http://ratecard.test', fetch: fake, ...options }) }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers })
const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  json({ code, title: code, detail: code }, status, headers)
const lost = () => new TypeError('fetch failed')
const bought = { url: 'http://x.test/', session_id: 'cs_1' }
const wish = { priceId: 'p', successUrl: 'http://x.test/', cancelUrl: 'http://x.test/' }

describe('the credentials of the client library', () => {
  it('are sent in the cookie that the service reads if they are a session', async () => {
    const { client, sent } = answering([json(bought)], { session: 'ses_1.a.b' })
    await client.checkout.create(wish)
    expect([sent[0]?.headers.get('cookie'), sent[0]?.headers.get('x-service-key')]).toEqual([
      'ratecard_session=ses_1.a.b; __Host-ratecard_session=ses_1.a.b',
      null,
    ])
  })

  it('are escaped, so that a session id with ";" cannot add a second cookie', async () => {
    const { client, sent } = answering([json(bought)], { session: 'a; admin=1' })
    await client.checkout.create(wish)
    expect(sent[0]?.headers.get('cookie')).toBe(
      'ratecard_session=a%3B%20admin%3D1; __Host-ratecard_session=a%3B%20admin%3D1',
    )
  })

  it('are the browser’s own cookies only if the corresponding option is set', async () => {
    const browser = answering([json(bought)], { credentials: 'include' })
    await browser.client.checkout.create(wish)
    expect(browser.sent[0]?.init.credentials).toBe('include')
    const plain = answering([json(bought)])
    await plain.client.checkout.create(wish)
    expect(plain.sent[0]?.init).not.toHaveProperty('credentials')
  })
})

describe('idempotent writes of the client library', () => {
  it('are retried, if the first response was lost, until the first attempt has ended', async () => {
    const running = problem(409, 'request_in_progress', { 'retry-after': '0' })
    const { client, sent } = answering([lost(), running, json(bought)])
    expect(await client.checkout.create(wish)).toEqual({ url: 'http://x.test/', sessionId: 'cs_1' })
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1)
  })

  it('are not retried while another call with the same idempotency key is running', async () => {
    const { client, sent } = answering([problem(409, 'request_in_progress', { 'retry-after': '0' })])
    await expect(client.checkout.create(wish)).rejects.toMatchObject({ code: 'request_in_progress' })
    expect(sent).toHaveLength(1)
  })

  it('are not retried if the service refused the first attempt', async () => {
    const { client, sent } = answering([problem(422, 'price_not_sellable')])
    await expect(client.checkout.create(wish)).rejects.toMatchObject({ code: 'price_not_sellable', status: 422 })
    expect(sent).toHaveLength(1)
  })

  it('fail with the connection error when no retries are left', async () => {
    const { client, sent } = answering([lost(), lost()], { retries: 1 })
    await expect(client.checkout.create(wish)).rejects.toMatchObject({ code: 'server_unreachable' })
    expect(sent).toHaveLength(2)
  })

  it('exclude portals, sessions, changes and removals, which are sent once and without an idempotency key', async () => {
    for (const call of [
      (client: ReturnType<typeof createClient>) => client.portal.create({ returnUrl: 'http://x.test/' }),
      (client: ReturnType<typeof createClient>) => client.sessions.create({ tenantId: 't' }),
      (client: ReturnType<typeof createClient>) => client.tenants.update('t', { name: 'x' }),
      (client: ReturnType<typeof createClient>) => client.tenants.remove('t'),
      (client: ReturnType<typeof createClient>) => client.jobs.resume('j'),
    ]) {
      const { client, sent } = answering([lost()])
      await expect(call(client)).rejects.toMatchObject({ code: 'server_unreachable' })
      expect([sent.length, sent[0]?.headers.get('idempotency-key')]).toEqual([1, null])
    }
  })
})

describe('member names in the client library', () => {
  it('are converted in requests and responses, except for names that the author of a document chose', async () => {
    const worker = {
      name: 'w',
      last_exit: null,
      deployment: { id: 'd', created_at: 't', variables: ['snake_case', 'camelCase'] },
      crons: [{ cron: '* * * * *', next_at: 't' }],
    }
    const { client, sent } = answering([json(worker, 201)])
    const vars = { snake_case: '1', camelCase: { deepInside: true } }
    const made = await client.workers.deploy(
      'a/b',
      { modules: [], main: 'm.js', compatibilityDate: '2026-01-01', vars, secrets: { MY_keyName: 's' } },
      { author: 'Zoë' },
    )
    expect(sent[0]?.url).toBe('http://ratecard.test/api/v1/workers/a%2Fb/deployments')
    expect(sent[0]?.body).toEqual({
      modules: [],
      main: 'm.js',
      compatibility_date: '2026-01-01',
      vars,
      secrets: { MY_keyName: 's' },
    })
    expect(sent[0]?.headers.get('x-ratecard-author')).toBe('Zo%C3%AB')
    expect(made).toEqual({
      name: 'w',
      lastExit: null,
      deployment: { id: 'd', createdAt: 't', variables: ['snake_case', 'camelCase'] },
      crons: [{ cron: '* * * * *', nextAt: 't' }],
    })
  })

  it('are unchanged after a conversion to snake_case and back', () => {
    for (const name of ['priceId', 'ttl', 'allowPromotionCodes', 'x']) expect(camel(snake(name))).toBe(name)
  })

  it('are omitted from bodies and queries if their value is undefined', async () => {
    const list = { tenants: [], pagination: { total: 0, limit: 10, offset: 0, has_more: false } }
    const { client, sent } = answering([json(bought), json(list)])
    await client.checkout.create({ ...wish, quantity: undefined, promotionCode: undefined })
    expect(Object.keys(sent[0]?.body as object)).toEqual(['price_id', 'success_url', 'cancel_url'])
    await client.tenants.list({ limit: 5, enterpriseId: undefined, processorCustomerId: 'cus 1' })
    expect(sent[1]?.url).toBe('http://ratecard.test/api/v1/billing/admin/tenants?limit=5&processor_customer_id=cus+1')
  })
})
