import { describe, expect, it } from 'vitest'
import { getFrom, startWorkerWorld, workersPath } from './worker-world.ts'
import { startedForAll } from '../../support/started.ts'

const world = startedForAll(startWorkerWorld)

const get = (path: string) => getFrom(world, path)

describe('the API for the logs and runs of workers', () => {
  it('runs the scheduled handler on request, with its own scheduled time, waitUntil and logs', async () => {
    await world.deploy(
      'clockwork',
      `export default { async scheduled(event, env, ctx) {
        console.log(event.cron, typeof event.scheduledTime)
        ctx.waitUntil(new Promise((resolve) => setTimeout(() => { console.warn('late'); resolve() }, 30)))
        if (event.cron === '0 1 * * *') throw new Error('night shift') } }`,
      { crons: ['0 0 1 1 *'] },
    )
    const trigger = (payload?: Record<string, unknown>) =>
      world.asAdmin({
        method: 'POST',
        url: `${workersPath}/clockwork/cron/trigger`,
        ...(payload === undefined ? {} : { payload }),
      })
    const first = (await trigger()).json<{ id: string }>()
    expect(first).toMatchObject({ cron: '0 0 1 1 *', outcome: 'ok' })
    const failed = (await trigger({ cron: '0 1 * * *' })).json<{ id: string }>()
    expect(failed).toMatchObject({ cron: '0 1 * * *', outcome: 'exception' })
    expect(failed).toHaveProperty('error', expect.stringContaining('night shift'))
    expect((await trigger({ cron: 'daily' })).json()).toMatchObject({ code: 'cron_invalid' })
    const runs = (await world.asAdmin({ url: `${workersPath}/clockwork/cron/runs` })).json()
    expect(runs).toMatchObject({ runs: [{ id: failed.id }, { id: first.id }], pagination: { total: 2 } })
    const one = await world.asAdmin({ url: `${workersPath}/clockwork/cron/runs?cron=0%201%20*%20*%20*` })
    expect(one.json()).toMatchObject({ runs: [{ id: failed.id }], pagination: { total: 1 } })
    const logs = await world.asAdmin({ url: `${workersPath}/clockwork/logs?run_id=${first.id}` })
    expect(logs.json<{ logs: { level: string; message: string }[] }>().logs).toMatchObject([
      { level: 'log', message: '0 0 1 1 * number' },
      { level: 'warn', message: 'late' },
    ])
    const metrics = await world.registry.metrics()
    expect(metrics).toMatch(/ratecard_worker_cron_runs_total\{worker="clockwork",outcome="ok"\} 1/)
  })

  it('can follow a log: earlier lines first, then each new line once', async () => {
    await world.deploy(
      'chatty',
      `export default { fetch(request) { console.log(new URL(request.url).pathname); return new Response() } }`,
    )
    await get('/workers/chatty/before')
    await expect
      .poll(async () => (await world.asAdmin({ url: `${workersPath}/chatty/logs?level=log` })).body)
      .toContain('/before')
    const leave = new AbortController()
    const response = await fetch(`${world.url}${workersPath}/chatty/logs?follow=true&level=log`, {
      headers: { 'x-service-key': world.key },
      signal: leave.signal,
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const seen: string[] = []
    let text = ''
    const reading = (async () => {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk
        const events = text.split('\n\n')
        text = events.pop() ?? ''
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1]
          if (data !== undefined) seen.push((JSON.parse(data) as { message: string }).message)
        }
      }
    })().catch(() => undefined)
    await get('/workers/chatty/after-1')
    await get('/workers/chatty/after-2')
    await expect.poll(() => seen).toEqual(['/before', '/after-1', '/after-2'])
    leave.abort()
    await reading
    const missing = await world.asAdmin({ url: `${workersPath}/nobody/logs?follow=true` })
    expect(missing.json()).toMatchObject({ code: 'worker_not_found' })
  })

  it('does not include the confinement of workers, which `/readyz` and `ratecard doctor` report', async () => {
    const ready = (await world.inject({ url: '/readyz' })).json<{
      checks: { workers: { ok: boolean; detail: string } }
    }>()
    expect(ready.checks.workers.ok).toBe(true)
    expect(ready.checks.workers.detail).toMatch(/^(Each worker|Workers) run/)
    const doctor = (await world.asAdmin({ url: '/api/v1/billing/admin/doctor' })).json<{
      findings: { check: string }[]
    }>()
    expect(doctor.findings.find(({ check }) => check === 'workers')).toMatchObject({ status: 'ok' })
  })
})
