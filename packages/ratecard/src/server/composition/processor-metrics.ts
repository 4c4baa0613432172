// Metrics of the calls to the processor and of the mirror.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import type { Mirror } from '../../customers/mirror/mirror.ts'
import type { SentRequest } from '../../processor/write-options.ts'
import { createReader } from './stored-values.ts'
import type { Store } from '../../store/store.ts'

/** Registers the counters, and returns a function that counts a request to the processor. */
export function createRequestCounters(registry: Registry): (request: SentRequest) => void {
  const requests = new Counter({
    name: 'ratecard_processor_requests_total',
    help: 'Requests sent to the processor, retries included.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const reads = new Counter({
    name: 'ratecard_processor_reads_total',
    help: 'Reads sent to the processor, which count toward its read allocation.',
    registers: [registry],
  })
  return ({ access, outcome }) => {
    requests.inc({ outcome })
    if (access === 'read') reads.inc()
  }
}

export interface MirrorGauges {
  readonly mirror: Mirror
  readonly store: Pick<Store['mirror'], 'state'>
  readonly clock: Clock
  /** Called with a failure that only makes metrics incomplete. */
  readonly report: (error: unknown, what: string) => void
}

/** Registers gauges of the mirror. The lag has no value until the mirror is complete. */
export function registerMirrorMetrics(registry: Registry, { mirror, store, clock, report }: MirrorGauges): void {
  const age = createReader(() => mirror.status(), report)
  const state = createReader(async () => ({ corrections: (await store.state())?.corrections ?? 0 }), report)
  new Gauge({
    name: 'ratecard_mirror_lag_seconds',
    help: 'Age of the mirror: it contains every change that is older.',
    registers: [registry],
    async collect() {
      const asOf = (await age())?.asOf ?? null
      if (asOf === null) this.remove()
      else this.set(Math.max(0, clock.now() - asOf) / 1000)
    },
  })
  new Counter({
    name: 'ratecard_mirror_corrections_total',
    help: 'Objects that a comparison of the mirror with the processor had to correct.',
    registers: [registry],
    async collect() {
      const read = await state()
      this.remove()
      if (read !== null) this.inc(read.corrections)
    },
  })
}
