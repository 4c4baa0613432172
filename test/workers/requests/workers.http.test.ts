import { describe, expect, it } from 'vitest'
import { getFrom, startWorkerWorld, upload, workersPath } from './worker-world.ts'
import { startedForAll } from '../../support/started.ts'

const world = startedForAll(() => startWorkerWorld({ publicUrl: 'https://billing.example.com' }))

const answering = (text: string) => `export default { fetch() { return new Response(${JSON.stringify(text)}) } }`
const get = (path: string) => getFrom(world, path)

describe('credentials in requests to workers, and of workers:', () => {
  const echo = `export default { async fetch(request, env) {
    return Response.json({ key: env.RATECARD_SERVICE_KEY ?? null, header: request.headers.get('x-service-key'), cookie: request.headers.get('cookie') }) } }`
  interface Echo {
    readonly key: string | null
    readonly header: string | null
    readonly cookie: string | null
  }
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    (await (await fetch(`${world.url}/workers/${path}`, { headers })).json()) as Echo
  const keys = async () =>
    (await world.asAdmin({ url: '/api/v1/billing/admin/keys' }))
      .json<{ keys: { name: string; scope: string; revoked_at: string | null }[] }>()
      .keys.filter(({ name }) => name === 'keyed')

  it('a client’s credentials reach a worker only if the worker’s deployment has pass_credentials', async () => {
    await world.deploy('plain', echo)
    await world.deploy('trusted', echo, { pass_credentials: true })
    const headers = {
      'x-service-key': world.key,
      cookie: 'ratecard_session=s3cret; theme=dark; __Host-ratecard_dashboard=x; ratecardish=y',
    }
    expect(await ask('plain', headers)).toEqual({ key: null, header: null, cookie: 'theme=dark; ratecardish=y' })
    expect(await ask('plain', { cookie: 'ratecard_session=s3cret' })).toMatchObject({ cookie: null })
    // The dashboard's cookie is for pages of the dashboard only, whichever credentials a worker may see.
    const cookie = 'ratecard_session=s3cret; theme=dark; ratecardish=y'
    expect(await ask('trusted', headers)).toMatchObject({ header: world.key, cookie })
  })

  it('a worker gets a key with the requested scope; new versions keep the key, and the removal of the worker revokes it', async () => {
    const withKey = async (key: string | null, method: 'GET' | 'DELETE' = 'GET') =>
      (await world.inject({ method, url: `${workersPath}/nobody`, headers: { 'x-service-key': key ?? '' } })).statusCode
    const first = await world.deploy('keyed', echo, { service_key: 'read', secrets: { RATECARD_SERVICE_KEY: 'other' } })
    expect(first.json()).toMatchObject({ deployment: { variables: ['RATECARD_SERVICE_KEY'] } })
    const { key } = await ask('keyed')
    expect(key).toMatch(/^rck_/)
    expect([await withKey(key), await withKey(key, 'DELETE')]).toEqual([404, 403])
    expect(await keys()).toMatchObject([{ scope: 'read', revoked_at: null }])

    await world.deploy('keyed', `${echo}\n// anew`, { service_key: 'read' })
    expect((await ask('keyed')).key).toBe(key)
    const broken = await world.deploy('keyed', 'throw new Error()', { service_key: 'write' })
    expect(broken.json()).toMatchObject({ code: 'worker_start_failed' })
    expect((await keys()).filter(({ revoked_at: at }) => at === null)).toHaveLength(1)
    await world.deploy('keyed', echo, { service_key: 'write' })
    const other = (await ask('keyed')).key
    expect([other === key, await withKey(other, 'DELETE')]).toEqual([false, 404])

    await world.asAdmin({ method: 'DELETE', url: `${workersPath}/keyed` })
    expect([await withKey(key), await withKey(other)]).toEqual([401, 401])
    expect((await keys()).every(({ revoked_at: at }) => at !== null)).toBe(true)
  })
})

describe('a deployment of a worker', () => {
  it('replaces the earlier deployment, can be rolled back with code, environment and schedules, and can be removed', async () => {
    const code = (text: string) =>
      `export default { fetch(request, env) { return new Response('${text} ' + env.STAGE) }, scheduled() {} }`
    const first = await world.deploy('turns', code('one'), {
      vars: { STAGE: 'a' },
      crons: ['0 0 * * *', '*/5 * * * *'],
    })
    const second = await world.deploy('turns', code('two'), { vars: { STAGE: 'b' }, crons: ['30 6 * * 1'] })
    expect(second.json()).toMatchObject({ crons: [{ cron: '30 6 * * 1' }] })
    expect((await get('/workers/turns')).body).toBe('two b')
    const ids = [second, first].map((answer) => answer.json<{ deployment: { id: string } }>().deployment.id)
    const list = await world.asAdmin({ url: `${workersPath}/turns/deployments` })
    expect(list.json()).toMatchObject({
      deployments: [
        { id: ids[0], active: true },
        { id: ids[1], active: false },
      ],
      pagination: { total: 2 },
    })
    const back = await world.asAdmin({
      method: 'POST',
      url: `${workersPath}/turns/rollback`,
      headers: { 'x-ratecard-author': 'ada', 'x-ratecard-message': 'two is broken' },
    })
    expect(back.statusCode).toBe(200)
    expect(back.json()).toMatchObject({ deployment: { id: ids[1], active: true } })
    expect(back.json<{ crons: { cron: string }[] }>().crons.map(({ cron }) => cron)).toEqual([
      '*/5 * * * *',
      '0 0 * * *',
    ])
    expect((await get('/workers/turns')).body).toBe('one a')
    const logs = await world.asAdmin({ url: `${workersPath}/turns/logs?level=system` })
    expect(logs.json()).toMatchObject({
      logs: [{ message: 'Rolled back to this deployment by ada: two is broken.', deployment: ids[1] }],
    })
    const further = await world.asAdmin({ method: 'POST', url: `${workersPath}/turns/rollback`, payload: {} })
    expect(further.json()).toMatchObject({ code: 'deployment_not_found' })
    const chosen = await world.asAdmin({
      method: 'POST',
      url: `${workersPath}/turns/rollback`,
      payload: { deployment: ids[0] },
    })
    expect(chosen.json()).toMatchObject({ deployment: { id: ids[0] } })
    expect((await world.asAdmin({ method: 'DELETE', url: `${workersPath}/turns` })).statusCode).toBe(204)
    expect((await get('/workers/turns')).status).toBe(404)
    expect((await world.asAdmin({ url: `${workersPath}/turns` })).json()).toMatchObject({ code: 'worker_not_found' })
    expect((await world.asAdmin({ method: 'DELETE', url: `${workersPath}/turns` })).statusCode).toBe(404)
    expect(await world.store.workers.content(ids[0] ?? '')).toBeNull()
  })

  it('keeps the old version active if the new version does not start, and the error contains the line of the source', async () => {
    await world.deploy('steady', answering('old'))
    const sourceMap = JSON.stringify({ version: 3, sources: ['src/boot.ts'], names: [], mappings: 'AAEA' })
    const answer = await world.deploy('steady', `throw new Error('no key')`, { source_map: sourceMap })
    expect(answer.statusCode).toBe(422)
    expect(answer.json()).toMatchObject({ code: 'worker_start_failed' })
    expect(answer.json<{ detail: string }>().detail).toMatch(/no key[^]*src\/boot\.ts:3:/)
    const silent = await world.deploy('steady', answering('no handler'), { crons: ['* * * * *'] })
    expect(silent.json()).toMatchObject({ code: 'worker_start_failed' })
    expect(silent.json<{ detail: string }>().detail).toContain('no scheduled handler')
    expect((await get('/workers/steady')).body).toBe('old')
    const worker = await world.asAdmin({ url: `${workersPath}/steady` })
    expect(worker.json()).toMatchObject({ state: 'running', crons: [] })
  })

  it.each<[string, Record<string, unknown>, number, string, string]>([
    [
      'a cron expression with an unknown syntax',
      { crons: ['* * * * *', '* * * * 7'] },
      422,
      'cron_invalid',
      '#/crons/1',
    ],
    ['a cron given twice', { crons: ['* * * * *', '*  * * * *'] }, 422, 'cron_invalid', '#/crons/1'],
    [
      'a missing main module',
      { main: 'other.js', modules: [{ name: 'index.js', type: 'esm', content: '' }] },
      422,
      'worker_bundle_invalid',
      '#/main',
    ],
    [
      'a compatibility date in the future',
      { compatibility_date: '2999-01-01' },
      422,
      'worker_bundle_invalid',
      '#/compatibility_date',
    ],
    [
      'a flag that is not allowed',
      { compatibility_flags: ['unsafe_module'] },
      422,
      'worker_bundle_invalid',
      '#/compatibility_flags/0',
    ],
    ['an impossible environment name', { vars: { 'a-b': '1' } }, 422, 'worker_bundle_invalid', '#/vars/a-b'],
    [
      'a name that is both a variable and a secret',
      { vars: { A: '1' }, secrets: { A: '2' } },
      422,
      'worker_bundle_invalid',
      '#/secrets/A',
    ],
    ['a host that is not a hostname', { hosts: ['https://a.example'] }, 422, 'worker_bundle_invalid', '#/hosts/0'],
    ['the host name of the service', { hosts: ['billing.example.com'] }, 422, 'worker_bundle_invalid', '#/hosts/0'],
    ['a CPU limit out of range', { cpu_ms: 5 }, 422, 'worker_bundle_invalid', '#/cpu_ms'],
    ['a member that does not exist', { crom: [] }, 400, 'request_invalid', '#/crom'],
  ])('refuses %s', async (_what, more, status, code, pointer) => {
    const answer = await world.deploy('refused', answering('x'), more)
    expect(answer.statusCode).toBe(status)
    expect(answer.json()).toMatchObject({ code, errors: [{ pointer }] })
    expect((await world.asAdmin({ url: `${workersPath}/refused` })).statusCode).toBe(404)
  })

  it('refuses modules of another type than declared, and bundles of more than ten megabytes', async () => {
    const many = await world.asAdmin({
      method: 'POST',
      url: `${workersPath}/refused/deployments`,
      payload: {
        ...upload(answering('x')),
        modules: [
          { name: 'worker.js', type: 'esm', content: answering('x') },
          { name: 'entry.js', type: 'esm', content: '' },
          { name: '../up.txt', type: 'text', content: '' },
          { name: 'a.wasm', type: 'wasm', content: '!' },
          { name: './a.wasm', type: 'wasm', content: '' },
        ],
      },
    })
    expect(many.json()).toMatchObject({
      code: 'worker_bundle_invalid',
      errors: [
        { pointer: '#/modules/1/name' },
        { pointer: '#/modules/2/name' },
        { pointer: '#/modules/3/content' },
        { pointer: '#/modules/4/name' },
      ],
    })
    const large = await world.deploy('refused', `//${'x'.repeat(10 * 1024 * 1024 - 1)}`)
    expect(large.json()).toMatchObject({
      code: 'worker_bundle_invalid',
      detail: 'The modules of the worker have 10.1 MB; at most 10.0 MB are allowed.',
      errors: [{ pointer: '#/modules' }],
    })
  })

  it('requires the service key for each operation, while requests to the worker require none', async () => {
    for (const [method, url] of [
      ['GET', workersPath],
      ['POST', `${workersPath}/hello/deployments`],
      ['GET', `${workersPath}/hello/logs`],
      ['DELETE', `${workersPath}/hello`],
    ] as const)
      expect((await world.inject({ method, url })).json()).toMatchObject({ code: 'service_key_missing' })
    expect((await get('/workers/steady')).status).toBe(200)
  })

  it('is refused while another deployment of the same worker is running', async () => {
    const slow = `for (let i = 0; i < 2e8; i++); ${answering('slow')}`
    const [one, two] = await Promise.all([world.deploy('single', slow), world.deploy('single', slow)])
    expect([one.statusCode, two.statusCode].sort()).toEqual([201, 409])
    expect([one, two].find((answer) => answer.statusCode === 409)?.json()).toMatchObject({
      code: 'deployment_in_progress',
    })
  })
})

describe('a replica without workers', () => {
  it('lists and deploys no workers, and refuses requests to workers with a 503', async () => {
    const off = await startWorkerWorld({ runtime: null })
    expect((await off.asAdmin({ url: workersPath })).json()).toEqual({ workers: [] })
    expect((await off.deploy('hello', answering('x'))).json()).toMatchObject({ code: 'worker_unavailable' })
    const response = await fetch(`${off.url}/workers/hello`)
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'worker_unavailable' }])
    const ready = (await off.inject({ url: '/readyz' })).json()
    expect(ready).toMatchObject({ ready: true, checks: { workers: { ok: true, detail: 'off' } } })
    await off.close()
  })
})

describe('a service with workers that is shutting down', () => {
  it('finishes requests in flight, and closes connections that never end', async () => {
    const draining = await startWorkerWorld()
    await draining.deploy(
      'slow',
      `export default { async fetch(request) {
        if (request.headers.get('upgrade') === 'websocket') {
          const [client, server] = Object.values(new WebSocketPair())
          server.accept()
          return new Response(null, { status: 101, webSocket: client })
        }
        await new Promise((resolve) => setTimeout(resolve, 500))
        return new Response('in time') } }`,
    )
    const socket = new WebSocket(`${draining.url.replace('http', 'ws')}/workers/slow`)
    await new Promise((resolve) => {
      socket.onopen = resolve
    })
    const closed = new Promise((resolve) => {
      socket.onclose = resolve
    })
    const answer = getFrom(draining, '/workers/slow')
    await expect.poll(() => draining.registry.metrics()).toMatch(/requests_in_flight\{worker="slow"\} 2/)
    await draining.close()
    expect(await answer).toMatchObject({ status: 200, body: 'in time' })
    await closed
  })
})
