// Verification of the sandbox against the processor. A second sandbox takes the place of the processor.
import { expect, test } from 'vitest'
import { parts, rewritingProxy, withPart } from '../../support/programs/rewriting-proxy.ts'
import { sandboxForTest, type TestSandbox } from '../../support/sandbox.ts'
import { startedForEach } from '../../support/started.ts'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { cliWorld } from '../cli-world.ts'

const key = 'sk_test_verification'
const env = (sandbox: { readonly url: string }) => ({ STRIPE_SECRET_KEY: key, STRIPE_API_BASE: sandbox.url })

const world = startedForEach(cliWorld)

interface Told {
  readonly scenarios: readonly {
    readonly id: string
    readonly same: boolean
    readonly error: string | null
    readonly differences: readonly { readonly at: string; readonly sandbox: unknown; readonly processor: unknown }[]
    readonly left_behind: readonly string[]
  }[]
}

async function verified(sandbox: { readonly url: string }, ...argv: string[]) {
  const { exit, document } = await world.json(['sandbox', 'verify', ...argv], { env: env(sandbox) })
  return { exit, scenarios: (document as unknown as Told).scenarios }
}

const other = (): Promise<TestSandbox> => sandboxForTest({ clock: systemClock as never, apiKey: key })

test('verifying a sandbox against an equal sandbox finds no difference, and leaves no objects behind', async () => {
  const sandbox = await other()
  const { exit, scenarios } = await verified(sandbox)
  expect(scenarios.filter(({ same }) => !same)).toEqual([])
  expect([exit, scenarios.length > 9, scenarios.flatMap((one) => one.left_behind)]).toEqual([0, true, []])
  const { stripe } = sandbox
  const living = await Promise.all([
    stripe.products.list({ active: true }),
    stripe.prices.list({ active: true }),
    stripe.customers.list(),
    stripe.coupons.list(),
    stripe.billing.meters.list({ status: 'active' }),
    stripe.testHelpers.testClocks.list(),
  ])
  expect(living.map(({ data }) => data.length)).toEqual([0, 0, 0, 0, 0, 0])
})

test('verification lists each difference between processor and sandbox with its scenario and its place in the response', async () => {
  const sandbox = await other()
  const proxy = await rewritingProxy(sandbox.port)
  proxy.rewrite(({ method, path, body }) => {
    if (method === 'POST' && /^\/v1\/subscriptions\/sub_/.test(path))
      return withPart(body, ['items', 'data', 0, 'quantity'], 7)
    if (method === 'POST' && path === '/v1/subscription_schedules')
      return parts(body)
        .filter((place) => place.at(-1) === 'discounts')
        .reduce((changed, place) => withPart(changed, place, null), body)
    return body
  })
  const asked = ['--only', 'price_change_without_quantity', 'null_members', 'what_may_be_used_again']
  const { exit, scenarios } = await verified(proxy, ...asked)
  expect(exit).toBe(3)
  expect(scenarios.map(({ id, differences }) => [id, differences])).toEqual([
    [
      'null_members',
      [
        { at: 'phase.discounts', sandbox: 'list', processor: 'null' },
        { at: 'phase_item.discounts', sandbox: 'list', processor: 'null' },
      ],
    ],
    ['price_change_without_quantity', [{ at: 'quantity', sandbox: 1, processor: 7 }]],
    ['what_may_be_used_again', []],
  ])
})

test('verification reports an aborted scenario as undecided, and removes the objects of that scenario', async () => {
  const sandbox = await other()
  sandbox.control.fail({ kind: 'error_before', method: 'POST', path: '/v1/subscriptions', count: 1 })
  const { exit, scenarios } = await verified(sandbox, '--only', 'prorations')
  expect([exit, scenarios[0]?.error]).toEqual([1, expect.stringContaining('unknown error')])
  expect((await sandbox.stripe.products.list({ active: true })).data).toEqual([])
})

test('verification refuses live keys from any source, and never prints them', async () => {
  const sandbox = await other()
  for (const live of ['sk_live_1234567890abcdef', 'rk_live_1234567890abcdef']) {
    const ways = [
      world.run(['sandbox', 'verify', '--key', live, '--api-base', sandbox.url]),
      world.run(['sandbox', 'verify'], { env: { ...env(sandbox), STRIPE_SECRET_KEY: live } }),
      world.run(['sandbox', 'verify', '--key', '-', '--api-base', sandbox.url], { answer: { text: live } }),
    ]
    for (const ran of await Promise.all(ways)) {
      expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining('live key')])
      expect(ran.stdout + ran.stderr).not.toContain(live)
    }
  }
  expect(sandbox.control.requests()).toEqual([])
})

test('verification reads the key from stdin, and sends no request without a key', async () => {
  const sandbox = await other()
  const argv = ['sandbox', 'verify', '--only', 'archived_prices_in_lists', '--api-base', sandbox.url]
  const ran = await world.run([...argv, '--key', '-'], { answer: { text: key } })
  expect([ran.exit, ran.stdout]).toEqual([0, expect.stringContaining('1 scenarios: 0 differ')])
  expect(ran.stdout + ran.stderr).not.toContain(key)
  expect((await world.run(argv)).exit).toBe(2)
  expect((await world.run([...argv, '--key', 'pk_test_123'])).exit).toBe(2)
  const unknown = await world.run(['sandbox', 'verify', '--only', 'nothing'], { env: env(sandbox) })
  expect([unknown.exit, unknown.stderr]).toEqual([1, expect.stringContaining('null_members')])
})
