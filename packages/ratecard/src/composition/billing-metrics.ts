// Metrics of billing: revenue, subscriptions and debts (from the mirror), outcomes of pushes, drift, and usage that was dropped or is not
// billed.
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { ServiceError } from '../errors/service-error.ts'
import type { BillingGauges } from '../service/mirror.ts'
import type { PushOutcome } from '../service/service.ts'
import type { DroppedUsage } from '../service/tenants.ts'
import type { ComposedService } from './compose.ts'

/** Registers gauges whose values are read at each scrape. They have no value until the mirror is complete. */
export function registerBillingGauges(registry: Registry, service: Pick<ComposedService, 'billingGauges'>): void {
  const gauge = (name: string, help: string, label: string, valuesOf: (gauges: BillingGauges) => Amounts) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const gauges = await service.billingGauges()
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

/**
 * Wraps the service so that pushes, drift, and dropped or unbilled usage are counted when an operation returns them. A dry run is not counted as a push.
 */
export function withBillingCounters<Given extends ComposedService>(service: Given, registry: Registry): Given {
  const pushes = new Counter({
    name: 'ratecard_pushes_total',
    help: 'Pushes, rollbacks and resumed pushes that ended.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const drift = new Gauge({
    name: 'ratecard_drift_fields',
    help: 'Fields that were edited at the processor, when this replica last checked.',
    registers: [registry],
  })
  const dropped = new Counter({
    name: 'ratecard_usage_dropped_total',
    help: 'Usage events that the processor accepted and then dropped, in the reports that this replica has read.',
    registers: [registry],
  })
  const unbilled = new Counter({
    name: 'ratecard_usage_unbilled_total',
    help: 'Usage reports that this replica recorded for tenants without a subscription item for the meter.',
    registers: [registry],
  })
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
  const seen = new Set<string>()
  return {
    ...service,
    push: (document, options) => counted(options.dryRun === true, service.push(document, options)),
    rollback: (revision, options) => counted(options.dryRun === true, service.rollback(revision, options)),
    resumePush: (id, options) => counted(false, service.resumePush(id, options)),
    drift: async () => {
      const report = await service.drift()
      drift.set(report.differences.reduce((sum, { fields }) => sum + Math.max(1, fields.length), 0))
      return report
    },
    recordUsage: async (usage, principal) => {
      const recorded = await service.recordUsage(usage, principal)
      if (!recorded.billed && !recorded.alreadyCounted) unbilled.inc()
      return recorded
    },
    droppedUsage: async (query) => {
      const reports = await service.droppedUsage(query)
      for (const report of reports) {
        const key = keyOf(report)
        if (!seen.has(key)) dropped.inc(report.count)
        seen.add(key)
      }
      return reports
    },
  }
}

const keyOf = ({ at, processorMeterId, code }: DroppedUsage) => `${String(at)} ${processorMeterId ?? ''} ${code}`

/**
 * Returns the label of a failed push. `refused`: nothing was written. `failed`: the push ended after some of its writes, or its outcome is
 * unknown.
 */
function failureOf(error: unknown): 'cancelled' | 'refused' | 'failed' {
  if (!(error instanceof ServiceError)) return 'failed'
  if (error.code === 'push_cancelled') return 'cancelled'
  return error.status < 500 ? 'refused' : 'failed'
}

const hourMs = 60 * 60 * 1000
const hoursBetweenDrift = 24

/**
 * Reads dropped usage every hour and drift once a day, so that the metrics are current without a request. Returns a function that stops
 * this.
 */
export function watchBilling(
  service: Pick<ComposedService, 'droppedUsage' | 'drift'>,
  report: (error: unknown, what: string) => void,
): () => Promise<void> {
  let hours = 0
  const timer = setInterval(() => {
    hours += 1
    service.droppedUsage({}).catch((error: unknown) => {
      report(error, 'looking for dropped usage')
    })
    if (hours % hoursBetweenDrift !== 1) return
    service.drift().catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.code === 'config_not_found')) report(error, 'looking for drift')
    })
  }, hourMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    return Promise.resolve()
  }
}
