import { describe, expect, it } from 'vitest'
import { admin, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(() => startTestApp({ clock: { now: () => now } }))
let now = Date.now()

const get = (url: string) => test.asAdmin({ url: `${admin}${url}` })

describe('the health and metrics endpoints', () => {
  it('return findings, liveness and readiness', async () => {
    const { findings } = (await get('/doctor')).json()
    expect(findings.length).toBeGreaterThan(0)
    const health = await test.inject({ url: '/healthz' })
    expect(health.json()).toEqual({ status: 'ok', uptime_seconds: expect.any(Number) })
    expect((await test.inject({ url: '/readyz' })).json()).toMatchObject({
      ready: true,
      checks: { store: { ok: true } },
    })
  })

  it('count requests by route pattern, not by path', async () => {
    await get('/config/history/99')
    const response = await test.asAdmin({ url: '/metrics' })
    expect(response.headers['content-type']).toContain('text/plain')
    expect(response.body).toContain('route="/api/v1/billing/admin/config/history/:revision",status="404"')
    expect(response.body).not.toContain('history/99')
  })

  it('report that the service is not ready while the processor is unreachable', async () => {
    await test.sandbox.close()
    now += 1_000
    const response = await test.inject({ url: '/readyz' })
    expect([response.statusCode, response.json().code]).toEqual([503, 'processor_unavailable'])
    expect(response.json()).toMatchObject({ ready: false, checks: { store: { ok: true }, processor: { ok: false } } })
  })
})
