import { describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { admin, startTestApp } from '../support/app.ts'
import { monthlyPrices } from '../support/fixtures.ts'
import { startedForEach } from '../support/started.ts'

const app = startedForEach(startTestApp)

interface Report {
  readonly state: string
  readonly steps_done: number
  readonly steps_total: number
  readonly steps: readonly { readonly op: string; readonly request_id: string | null }[]
}

const started = async (document: BillingConfig): Promise<string> => {
  const answer = await app.asAdmin({
    method: 'POST',
    url: `${admin}/config`,
    headers: { prefer: 'respond-async' },
    payload: document,
  })
  expect(answer.statusCode).toBe(202)
  return answer.json<{ push_id: string }>().push_id
}
const ended = async (id: string): Promise<Report> => {
  // The stream ends with the push.
  await app.asAdmin({ method: 'GET', url: `${admin}/pushes/${id}/events` })
  return (await app.asAdmin({ method: 'GET', url: `${admin}/pushes/${id}` })).json<Report>()
}

describe('the approval of a plan', () => {
  it('in the header X-Ratecard-Plan applies only the plan with that fingerprint', async () => {
    await app.push(monthlyPrices(1, '1.0.0'))
    const next = monthlyPrices(1, '1.1.0', 200)
    const { plan } = (await app.push(next, '?dry_run=true')).json<{ plan: string }>()
    await app.push(monthlyPrices(2, '1.0.1'))
    const push = (fingerprint: string, query = '') =>
      app.asAdmin({
        method: 'POST',
        url: `${admin}/config${query}`,
        headers: { 'x-ratecard-plan': fingerprint },
        payload: next,
      })
    for (const query of ['', '?dry_run=true']) {
      const stale = await push(plan, query)
      expect([stale.statusCode, stale.json<{ code: string }>().code]).toEqual([409, 'plan_stale'])
    }
    const anew = (await app.push(next, '?dry_run=true')).json<{ plan: string }>()
    const applied = await push(anew.plan)
    expect(applied.json()).toMatchObject({ status: 'applied', plan: anew.plan, impact: [{ subscriptions: 0 }, {}] })
    expect((await push('nonsense')).statusCode).toBe(400)
  })
})

describe('a running push', () => {
  it('can be cancelled with one request, and resumed with another request that has respond-async', async () => {
    app.sandbox.control.fail({ kind: 'latency', method: 'POST', latencyMs: 40, count: null })
    const id = await started(monthlyPrices(40, '1.0.0'))
    const cancelled = await app.asAdmin({ method: 'POST', url: `${admin}/pushes/${id}/cancel` })
    expect(cancelled.statusCode).toBe(202)
    expect(cancelled.json()).toMatchObject({ id, state: 'running' })
    expect(cancelled.headers['location']).toBe(`${admin}/pushes/${id}`)
    const report = await ended(id)
    expect(report).toMatchObject({ state: 'interrupted', error: { code: 'push_cancelled' } })
    expect(report.steps_done).toBeLessThan(report.steps_total)
    app.sandbox.control.clearFaults()

    const resumed = await app.asAdmin({
      method: 'POST',
      url: `${admin}/pushes/${id}/resume`,
      headers: { prefer: 'respond-async' },
    })
    expect(resumed.statusCode).toBe(202)
    expect(resumed.headers['location']).toBe(`${admin}/pushes/${id}`)
    expect(await ended(id)).toMatchObject({ state: 'applied' })
    const again = await app.asAdmin({ method: 'POST', url: `${admin}/pushes/${id}/cancel` })
    expect([again.statusCode, again.json<{ code: string }>().code]).toEqual([409, 'push_not_running'])
  })

  it('is not cancelled by a request with an unknown push id', async () => {
    const answer = await app.asAdmin({ method: 'POST', url: `${admin}/pushes/nope/cancel` })
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([404, 'push_not_found'])
  })
})

it('a rollback with respond-async returns immediately, and its progress can be followed like that of a push', async () => {
  await app.push(monthlyPrices(1, '1.0.0'))
  await app.push(monthlyPrices(2, '1.1.0'))
  const answer = await app.asAdmin({
    method: 'POST',
    url: `${admin}/config/rollback`,
    headers: { prefer: 'respond-async' },
    payload: { revision: 1 },
  })
  expect(answer.statusCode).toBe(202)
  expect(await ended(answer.json<{ push_id: string }>().push_id)).toMatchObject({ state: 'applied', kind: 'rollback' })
})

it('each entry of the history contains the request ids of the processor’s responses', async () => {
  await app.push(monthlyPrices(2, '1.0.0'))
  const { push_id: id } = (await app.asAdmin({ method: 'GET', url: `${admin}/config/history/1` })).json<{
    push_id: string
  }>()
  const { steps } = (await app.asAdmin({ method: 'GET', url: `${admin}/pushes/${id}` })).json<Report>()
  expect(steps.map((step) => step.request_id?.startsWith('req_'))).toEqual([true, true, true])
})
