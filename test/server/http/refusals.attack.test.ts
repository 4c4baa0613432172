// On every route with a body: a request that is refused because of a member of its body names that member.
import { beforeAll, expect, it } from 'vitest'
import { sampleConfig, startTestApp } from '../../support/app.ts'
import { sessionOf } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'
import { operationsOf, sample, type Operation, type Schema } from '../../support/attack/sample.ts'

const test = startedForAll(() => startTestApp({ rateLimit: 1_000_000 }))
beforeAll(async () => {
  expect((await test.push(sampleConfig())).statusCode).toBe(200)
  await sessionOf(test, 'acme')
})

/** Existing ids, so that the body is refused and not the path. */
const present: Readonly<Record<string, string>> = {
  id: 'acme',
  price_id: 'pro_monthly',
  revision: '1',
}
const wrong: readonly unknown[] = [
  ...[null, 0, -1, 1.5, 1e20, true, '', 'x'.repeat(6_000), '\u0000', '\ud800', '__proto__', 'nobody'],
  ...['https://evil.example', '2020-01-01T00:00:00Z', [], {}, ['x'], [[]], [{}], { x: 1 }],
]

/** Left out: rules of documents have their own tests, and an event is refused because of its signature before its body is parsed. */
const notTried = new Set(['pushConfig', 'validateConfig', 'keepWrittenForm', 'receiveProcessorEvent'])
const others = /_not_found$|^processor_|^push_/

function* damaged(operation: Operation, root: Schema): Generator<readonly [member: string, body: unknown]> {
  const good = sample(operation.body, root, { text: () => 'acme', pick: () => 0 })
  for (const body of [null, [], 'x', 7]) yield ['', body]
  if (typeof good !== 'object' || good === null) return
  yield ['unknown_member', { ...good, unknown_member: 1 }]
  for (const name of Object.keys(good)) for (const value of wrong) yield [name, { ...good, [name]: value }]
}

it('the response to a refused request names the invalid member of the body, or has an error code about the path', async () => {
  const root = test.app.swagger() as unknown as Schema
  const silent = new Set<string>()
  let refused = 0
  for (const operation of operationsOf(root)) {
    if (operation.body === undefined || notTried.has(operation.id)) continue
    const url = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => present[name] ?? 'acme')
    for (const [member, body] of damaged(operation, root)) {
      const headers = { 'x-service-key': test.key, 'content-type': 'application/json' }
      const answer = await test.inject({ method: operation.method, url, headers, payload: JSON.stringify(body) })
      if (answer.statusCode < 400 || answer.statusCode >= 500) continue
      const { code, errors = [] } = answer.json<{ code: string; errors?: { pointer: string }[] }>()
      refused++
      if (errors.length > 0 ? errors.every(({ pointer }) => pointer.startsWith('#')) : others.test(code)) continue
      silent.add(`${operation.id}: ${code} for ${member} ${JSON.stringify(body).slice(0, 80)}`)
    }
  }
  expect([...silent]).toEqual([])
  expect(refused).toBeGreaterThan(500)
})
