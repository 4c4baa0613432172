// Whatever breaks, the state before it was valid; so one random pair of documents, one random fault, one push: afterwards the
// earlier version is served, and one more push converges without a duplicate.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { planChanges, planIsEmpty } from '../../packages/ratecard/src/catalog/plan.ts'
import type { Snapshot } from '../../packages/ratecard/src/catalog/resource.ts'
import { systemClock } from '../../packages/ratecard/src/clock.ts'
import { checksum } from '../../packages/ratecard/src/config/document/checksum.ts'
import { ServiceError } from '../../packages/ratecard/src/errors/service-error.ts'
import { startSandbox } from '../../packages/sandbox/src/server.ts'
import type { Sandbox } from '../../packages/sandbox/src/server.ts'
import { arbitraryConfig } from '../support/arbitrary-config.ts'
import { nobody, startStack } from '../support/stack.ts'
import type { Stack } from '../support/stack.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
})
afterAll(() => sandbox.close())

const runs = Number(process.env['STORM_RUNS'] ?? 60)
const faultKinds = [
  'error_before',
  'error_after',
  'close_before',
  'close_after',
  'cut_body',
  'lock_timeout',
  'rate_limit',
  'conflict',
] as const

const fault = fc.record({
  kind: fc.constantFrom(...faultKinds),
  skip: fc.nat(40),
  count: fc.integer({ min: 1, max: 12 }),
  method: fc.constantFrom('POST', 'POST', 'DELETE', undefined),
})

test(
  'after a random storm the earlier version is served, and one push converges without a duplicate',
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryConfig,
        arbitraryConfig,
        fc.array(fault, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (first, second, faults, resumes) => {
          const stack = await startStack({ sandbox })
          try {
            await stack.service.push(first, nobody)
            for (const order of faults) sandbox.control.fail(order)
            const failure = await stack.service.push(second, nobody).then(
              () => null,
              (error: unknown) => error,
            )
            sandbox.control.clearFaults()
            if (failure !== null) await expectEarlierVersion(stack, failure, checksum(first))
            if (failure !== null && resumes) await tryResume(stack, failure)
            const outcome = await stack.service.push(second, nobody)
            expect(['applied', 'unchanged']).toContain(outcome.status)
            const snapshot = await stack.snapshot()
            const plan = planChanges({
              config: second,
              previous: second,
              snapshot,
              mappings: await stack.store.mappings.all(),
            })
            expect(plan.steps).toEqual([])
            expect(planIsEmpty(plan)).toBe(true)
            expectNoDuplicates(snapshot)
            expect((await stack.service.push(second, nobody)).status).toBe('unchanged')
            for (const webhook of await stack.service.listWebhooks({ secrets: true }))
              expect([webhook.id, webhook.secretKnown]).toEqual([webhook.id, true])
          } finally {
            sandbox.control.clearFaults()
            await stack.close()
          }
        },
      ),
      { numRuns: runs },
    )
  },
)

async function expectEarlierVersion(stack: Stack, failure: unknown, earlier: string): Promise<void> {
  expect(failure).toBeInstanceOf(ServiceError)
  expect((failure as ServiceError).code).not.toBe('internal')
  const history = await stack.service.history({ limit: 1, offset: 0 })
  expect(history.items[0]?.checksum).toBe(earlier)
  expect(history.total).toBe(1)
}

async function tryResume(stack: Stack, failure: unknown): Promise<void> {
  const id = (failure as ServiceError).extra['push_id']
  if (typeof id !== 'string') return
  const push = await stack.service.findPush(id)
  if (push.state !== 'interrupted') return
  expect((await stack.service.resumePush(id)).status).toBe('applied')
}

/** At most one active object of ours per configuration id. */
function expectNoDuplicates(snapshot: Snapshot): void {
  for (const kind of ['product', 'price', 'promotion_code', 'webhook', 'coupon'] as const) {
    const marks = snapshot[kind]
      .filter((object) => object.active && object.mark !== null)
      .map((object) => String(object.mark))
    expect(marks).toEqual([...new Set(marks)])
  }
  const events = snapshot.meter.filter((meter) => meter.active).map((meter) => meter.fields.eventName)
  expect(events).toEqual([...new Set(events)])
}
