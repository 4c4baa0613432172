import { describe, expect, it } from 'vitest'
import { admin, startTestApp } from '../support/app.ts'
import { startedForEach } from '../support/started.ts'

const app = startedForEach(startTestApp)

const shop = (host: string, version = '1.0.0') => ({
  version,
  products: [{ id: 'p', name: 'P', prices: [{ id: 'p_monthly', amount: 100, currency: 'usd', interval: 'month' }] }],
  webhooks: [{ id: 'hook', url: `https://${host}/hooks`, events: ['invoice.paid'] }],
})
const keep = async (document: object) =>
  (await app.asAdmin({ method: 'POST', url: `${admin}/config/written`, payload: document })).json<{ written: string }>()
    .written
const push = (document: object, written: string, query = '') =>
  app.asAdmin({
    method: 'POST',
    url: `${admin}/config${query}`,
    headers: { 'x-ratecard-written': written },
    payload: document,
  })
const revision = async (number: number) =>
  (await app.asAdmin({ method: 'GET', url: `${admin}/config/history/${String(number)}` })).json<{
    document: object
    written: object | null
  }>()

describe('the source document of a revision, with its unexpanded variables,', () => {
  it('is stored with the revision, and restored by a rollback', async () => {
    const written = shop('${HOST}')
    expect((await push(shop('a.example.com'), await keep(written))).statusCode).toBe(200)
    expect(await revision(1)).toMatchObject({ document: shop('a.example.com'), written })
    await app.push(shop('b.example.com', '1.1.0') as never)
    expect((await revision(2)).written).toBeNull()
    await app.asAdmin({ method: 'POST', url: `${admin}/config/rollback`, payload: { revision: 1 } })
    expect((await revision(3)).written).toEqual(written)
  })

  it('is replaced if the same content is pushed from another source document', async () => {
    await app.push(shop('a.example.com') as never)
    const again = await push(shop('a.example.com'), await keep(shop('${HOST}')))
    expect(again.json()).toMatchObject({ status: 'unchanged' })
    expect((await revision(1)).written).toEqual(shop('${HOST}'))
  })

  it.each([
    ['a document that it does not expand to', shop('${HOST}', '1.0.1')],
    ['nothing that was kept', null],
  ])('is refused for %s, and nothing is pushed', async (_, written) => {
    const id = written === null ? '0'.repeat(64) : await keep(written)
    for (const query of ['', '?dry_run=true']) {
      const answer = await push(shop('a.example.com'), id, query)
      expect(answer.statusCode).toBe(422)
      expect(answer.json()).toMatchObject({ code: 'written_form_mismatch' })
    }
    expect((await app.asAdmin({ method: 'GET', url: `${admin}/config` })).statusCode).toBe(404)
  })

  it('hides the values of its variables with secret names from a read key, also in a plan, and not from a key that may write', async () => {
    await push(shop('s3cret.example.com'), await keep(shop('${HOOK_TOKEN}.example.com')))
    const { key } = await app.service.createKey('looks', { scope: 'read' })
    const shown = async (serviceKey: string) => {
      const headers = { 'x-service-key': serviceKey }
      const list = await app.inject({ url: `${admin}/webhooks`, headers })
      const other = shop('b.example.com', '1.1.0')
      const plan = await app.inject({ method: 'POST', url: `${admin}/config?dry_run=true`, headers, payload: other })
      expect([list.statusCode, plan.statusCode]).toEqual([200, 200])
      return [list.body, plan.body]
    }
    for (const body of await shown(key)) {
      expect(body).toContain('https://${HOOK_TOKEN}.example.com/hooks')
      expect(body).not.toContain('s3cret')
    }
    for (const body of await shown(app.key)) expect(body).toContain('https://s3cret.example.com/hooks')
  })

  it('must be an object whose id is its digest', async () => {
    expect((await app.asAdmin({ method: 'POST', url: `${admin}/config/written`, payload: [] })).statusCode).toBe(400)
    expect((await push(shop('a.example.com'), 'abc')).statusCode).toBe(400)
  })
})
