// Helpers of the processor suite: one account, ids that are unique to this run, and idempotency keys.
import type Stripe from 'stripe'
import { expect } from 'vitest'
import type { ObservedResource, ProcessorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { ResolvedStep } from '../../../packages/ratecard/src/catalog/steps.ts'
import type { PerformedStep, Processor } from '../../../packages/ratecard/src/processor/processor.ts'

export interface Bench {
  readonly processor: Processor
  /** Prefix of ids (lower case letters and digits) that keeps this run apart from earlier runs in the same account. */
  readonly run: string
  /** An adapter for the same account with an unknown key. */
  readonly stranger: Processor
  readonly livemode: boolean
  /** Client of the same account for actions of customers, e.g. subscribing. */
  readonly stripe: Stripe
}

export interface Tools {
  /** Available once the suite runs. */
  readonly bench: Bench
  readonly signal: AbortSignal
  id(text: string): string
  perform(step: ResolvedStep, idempotencyKey?: string): Promise<PerformedStep>
  locate(step: ResolvedStep): Promise<PerformedStep | null>
  /** Performs the step and returns the object’s id. */
  make(step: ResolvedStep): Promise<ProcessorId>
}

export function toolsFor(open: () => Promise<Bench>): Tools & { readonly start: () => Promise<void> } {
  let opened: Bench | undefined
  let calls = 0
  const signal = AbortSignal.timeout(600_000)
  const bench = (): Bench => {
    if (opened === undefined) throw new Error('The suite has not started.')
    return opened
  }
  const perform = (step: ResolvedStep, idempotencyKey = `${bench().run}-${++calls}`) =>
    bench().processor.perform(step, { idempotencyKey, signal })
  return {
    get bench() {
      return bench()
    },
    signal,
    id: (text) => `${text}_${bench().run}`,
    perform,
    locate: (step) => bench().processor.locate(step, signal),
    make: async (step) => (await perform(step)).processorId,
    start: async () => {
      opened = await open()
    },
  }
}

export function expectObserved(
  performed: PerformedStep,
  wanted: { readonly [K in keyof ObservedResource]?: unknown },
): void {
  expect(performed.observed).toMatchObject(wanted)
  if (typeof wanted.fields === 'object') expect(performed.observed?.fields).toEqual(wanted.fields)
}
