// Metrics about billing: revenue, subscriptions and debts (from the mirror), results of pushes, drift, and usage that was dropped or is not
// billed.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { Store } from '../../store/store.ts'
import {
  countDroppedUsage,
  readDriftFields,
  readDroppedUsage,
  readUsageDifferences,
  saveDriftFields,
} from './billing-facts.ts'
import type { Service } from '../service/service.ts'
import { createReader } from './stored-values.ts'
import type { BillingGauges } from '../../customers/mirror/reads/money.ts'
import type { PushOutcome } from '../../api/push/pushes.ts'

/** Called with a failure that only makes metrics incomplete. */
type Report = (error: unknown, what: string) => void

/** Registers gauges whose values are read at each scrape. They have no value until the mirror is complete. */
export function registerBillingGauges(
  registry: Registry,
  service: Pick<Service, 'billingGauges'>,
  report: Report,
): void {
  const read = createReader(() => service.billingGauges(), report)
  const gauge = (name: string, help: string, label: string, valuesOf: (gauges: BillingGauges) => Amounts) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const gauges = await read()
        this.reset()
        for (const [key, value] of Object.entries(gauges === null ? {} : valuesOf(gauges)))
          this.set({ [label]: key }, value)
      },
    })
  gauge('ratecard_mrr', 'Monthly recurring revenue in minor units.', 'currency', ({ mrr }) => mrr)
  gauge('ratecard_owed', 'Amount of open invoices, in minor units.', 'currency', ({ owed }) => owed)
  gauge('ratecard_subscriptions', 'Subscriptions that have not ended.', 'status', ({ subscriptions }) => subscriptions)
}

type Amounts = Readonly<Record<string, number>>

export interface CounterDeps {
  readonly store: Pick<Store, 'facts' | 'tryExclusively' | 'usageComparison'>
  readonly clock: Clock
  readonly report: Report
}

/**
 * Wraps the service, so that the metrics count what its operations return: results of pushes, drift, and dropped or unbilled usage. A dry
 * run is not counted as a push.
 */
export function withBillingCounters<Given extends Service>(
  service: Given,
  registry: Registry,
  { store, clock, report }: CounterDeps,
): Given {
  const pushes = new Counter({
    name: 'ratecard_pushes_total',
    help: 'Pushes, rollbacks and resumed pushes that ended.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const unbilled = new Counter({
    name: 'ratecard_usage_unbilled_total',
    help: 'Usage reports that this replica recorded for tenants without a subscription item for the meter.',
    registers: [registry],
  })
  registerStoredNumbers(registry, store, report)
  /** A failure to count must not make the operation fail, because the operation itself has succeeded. */
  const counting = async (work: Promise<void>): Promise<void> => {
    try {
      await work
    } catch (error) {
      report(error, 'counting for metrics')
    }
  }
  const counted = async (isDryRun: boolean, work: Promise<PushOutcome>): Promise<PushOutcome> => {
    try {
      const outcome = await work
      if (!isDryRun) pushes.inc({ outcome: outcome.status })
      return outcome
    } catch (error) {
      if (!isDryRun) pushes.inc({ outcome: failureOf(error) })
      throw error
    }
  }
  return {
    ...service,
    push: (document, options) => counted(options.dryRun === true, service.push(document, options)),
    rollback: (revision, options) => counted(options.dryRun === true, service.rollback(revision, options)),
    resumePush: (id, options) => counted(false, service.resumePush(id, options)),
    drift: async () => {
      const report = await service.drift()
      await counting(saveDriftFields(store, report.editedFields))
      return report
    },
    recordUsage: async (usage, principal) => {
      const recorded = await service.recordUsage(usage, principal)
      if (recorded.billed === false && !recorded.alreadyCounted) unbilled.inc()
      return recorded
    },
    droppedUsage: async (query) => {
      const reports = await service.droppedUsage(query)
      await counting(countDroppedUsage(store, reports, clock.now()))
      return reports
    },
  }
}

/** Registers numbers that have no value before the first check by any replica. */
function registerStoredNumbers(registry: Registry, store: CounterDeps['store'], report: Report): void {
  const driftFields = createReader(() => readDriftFields(store), report)
  const droppedUsage = createReader(() => readDroppedUsage(store), report)
  new Gauge({
    name: 'ratecard_drift_fields',
    help: 'Fields that were edited at the processor, when a replica last checked.',
    registers: [registry],
    async collect() {
      const fields = await driftFields()
      if (fields === null) this.remove()
      else this.set(fields)
    },
  })
  const usageDifferences = createReader(() => readUsageDifferences(store), report)
  new Gauge({
    name: 'ratecard_usage_differences',
    help: 'Tenants and meters whose counted usage differs from the processor, as of the last nightly comparison.',
    registers: [registry],
    async collect() {
      const differences = await usageDifferences()
      if (differences === null) this.remove()
      else this.set(differences)
    },
  })
  new Counter({
    name: 'ratecard_usage_dropped_total',
    help: 'Usage events that the processor accepted and then dropped, in all reports so far.',
    registers: [registry],
    async collect() {
      const dropped = await droppedUsage()
      this.remove()
      if (dropped !== null) this.inc(dropped)
    },
  })
}

/**
 * Returns the label of a failed push. `refused`: nothing was written. `failed`: the push ended after some of its writes, or its outcome is
 * unknown.
 */
function failureOf(error: unknown): 'cancelled' | 'refused' | 'failed' {
  if (!(error instanceof ServiceError)) return 'failed'
  if (error.code === 'push_cancelled') return 'cancelled'
  return error.status < 500 ? 'refused' : 'failed'
}
