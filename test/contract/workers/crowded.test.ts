import { expect, onTestFinished, test } from 'vitest'
import { front, recorder, spec, testRuntime } from './bench-host.ts'

test('a worker takes no more requests at a time than its limit, and goes on when some are done', async () => {
  const runtime = testRuntime()
  onTestFinished(() => runtime.close())
  const code = `export default { fetch(request) {
    if (request.url.endsWith('/free')) return new Response('free')
    return new Promise((resolve) => setTimeout(resolve, 60_000))
  } }`
  const worker = await runtime.start(spec(code, { limits: { concurrent: 2 } }), recorder())
  const site = await front(() => worker, '')
  onTestFinished(site.close)
  const leave = new AbortController()
  const asked = [1, 2, 3].map(() => fetch(site.url, { signal: leave.signal }))
  const refused = await Promise.race(asked)
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'worker_unavailable'])
  leave.abort()
  await Promise.allSettled(asked)
  await expect.poll(async () => (await fetch(`${site.url}/free`)).status).toBe(200)
})
