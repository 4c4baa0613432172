// Random pairs of documents, random faults, writes that arrive late, and sometimes the death of the process during a push. Afterwards the
// earlier version is served, and the next successful push, of either document, completes without a duplicate. Writes that arrive after it
// change nothing.
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { planChanges, planIsEmpty } from '../../../packages/ratecard/src/catalog/plan/plan-changes.ts'
import type { Snapshot } from '../../../packages/ratecard/src/catalog/resource.ts'
import { checksum } from '../../../packages/ratecard/src/document/schema/canonical/checksum.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { arbitraryConfig } from '../../support/generated/arbitrary-config.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'

const { sandbox } = sharedSandbox()

const runs = Number(process.env['STORM_RUNS'] ?? 3)
const faultKinds = [
  'error_before',
  'error_after',
  'close_before',
  'close_after',
  'cut_body',
  'lock_timeout',
  'rate_limit',
  'conflict',
  'late',
  'late_arrival',
  'late',
  'late_arrival',
] as const

const fault = fc.record({
  kind: fc.constantFrom(...faultKinds),
  skip: fc.nat(40),
  count: fc.integer({ min: 1, max: 12 }),
  method: fc.constantFrom('POST', 'POST', 'DELETE', undefined),
})

const storm = fc.record({
  faults: fc.array(fault, { minLength: 1, maxLength: 3 }),
  resumes: fc.boolean(),
  /** Number of journal writes after which the process dies. */
  diesAfter: fc.option(fc.nat(30)),
  /** The next push is of the earlier document again. */
  goesBack: fc.boolean(),
})

test('after random faults the earlier version stays public, and the next push completes without a duplicate, even if lost writes arrive late', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryConfig, arbitraryConfig, storm, async (first, second, { faults, ...storm }) => {
      const stack = await startStack({ sandbox })
      try {
        await stack.service.push(first, nobody)
        for (const order of faults) sandbox.control.fail(order)
        const revive = storm.diesAfter === null ? null : dieAfter(stack, storm.diesAfter)
        const failure = await failureOf(stack.service.push(second, nobody))
        const died = revive?.() ?? false
        sandbox.control.clearFaults()
        if (failure !== null && !died) await expectEarlierVersion(stack, failure, checksum(first))
        if (failure !== null && storm.resumes) await oncePossible(() => tryResume(stack))
        const next = storm.goesBack && (await canGoBack(stack, first)) ? first : second
        const outcome = await oncePossible(() => stack.service.push(next, nobody))
        expect(['applied', 'unchanged']).toContain(outcome.status)
        const snapshot = await stack.snapshot()
        await expectInPlace(stack, next, snapshot)
        await sandbox.control.land()
        expect(await stack.snapshot()).toEqual(snapshot)
        expect((await stack.service.push(next, nobody)).status).toBe('unchanged')
        for (const webhook of await stack.service.listWebhooks({ secrets: true }))
          expect([webhook.id, webhook.secretKnown]).toEqual([webhook.id, true])
      } finally {
        vi.restoreAllMocks()
        sandbox.control.clearFaults()
        await sandbox.control.land()
        await stack.close()
      }
    }),
    { numRuns: runs },
  )
})

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

/**
 * Fails each journal write from the n-th on, as if the process had died. Returns a function that restores the journal and returns whether a
 * write failed.
 */
function dieAfter({ store: { pushes } }: Stack, writes: number): () => boolean {
  let passed = 0
  const spies = (['begin', 'succeed', 'settle', 'end', 'close'] as const).map((name) => {
    const method = pushes[name].bind(pushes) as (...args: unknown[]) => Promise<unknown>
    return vi.spyOn(pushes, name as 'begin').mockImplementation((...args) => {
      if (++passed > writes) return Promise.reject(new Error('The process has died.'))
      return method(...args) as ReturnType<typeof pushes.begin>
    })
  })
  return () => {
    for (const spy of spies) spy.mockRestore()
    return passed > writes
  }
}

/**
 * Pushes with force, because objects that the abandoned push switched off count as edits at the processor. Meters have no metadata, so a
 * replacement meter of the abandoned push is unmanaged; then only the later document can be pushed.
 */
async function canGoBack(stack: Stack, earlier: BillingConfig): Promise<boolean> {
  const refusal = await failureOf(oncePossible(() => stack.service.push(earlier, { ...nobody, force: true })))
  if (refusal === null) return true
  const { code, issues } = refusal as ServiceError
  expect([code, ...issues.map((issue) => issue.code)]).toEqual([
    'plan_refused',
    ...issues.map(() => 'meter_event_name_taken'),
  ])
  return false
}

/** Runs the work; if it is refused because of a late write, lets the write arrive and retries. */
async function oncePossible<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'push_unfinished') throw error
    expect(error.retryAfter).toBeGreaterThan(0)
    expect(await sandbox.control.land()).toBeGreaterThan(0)
    return work()
  }
}

async function expectInPlace(stack: Stack, config: BillingConfig, snapshot: Snapshot): Promise<void> {
  const mappings = await stack.store.mappings.all()
  const plan = planChanges({ config, previous: config, snapshot, mappings })
  expect(plan.steps).toEqual([])
  expect(planIsEmpty(plan)).toBe(true)
  expectNoDuplicates(snapshot)
}

async function expectEarlierVersion(stack: Stack, failure: unknown, earlier: string): Promise<void> {
  expect(failure).toBeInstanceOf(ServiceError)
  expect((failure as ServiceError).code).not.toBe('internal')
  const history = await stack.service.history({ limit: 1, offset: 0 })
  expect(history.items[0]?.checksum).toBe(earlier)
  expect(history.total).toBe(1)
}

async function tryResume(stack: Stack): Promise<void> {
  const id = (await stack.store.pushes.unresolved())[0]?.id
  if (id === undefined) return
  const push = await stack.service.findPush(id)
  if (push.state !== 'interrupted') return
  expect((await stack.service.resumePush(id)).status).toBe('applied')
}

/** At most one active object of ours per configuration id. */
function expectNoDuplicates(snapshot: Snapshot): void {
  for (const kind of ['product', 'price', 'promotion_code', 'tax_rate', 'portal', 'webhook', 'coupon'] as const) {
    const marks = snapshot[kind]
      .filter((object) => object.active && object.mark !== null)
      .map((object) => String(object.mark))
    expect(marks).toEqual([...new Set(marks)])
  }
  const events = snapshot.meter.filter((meter) => meter.active).map((meter) => meter.fields.eventName)
  expect(events).toEqual([...new Set(events)])
}
