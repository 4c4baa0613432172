// Moves subscribers from the former processor prices of a configuration price to the current one. Happens only on request; without a
// request, subscribers keep the price that they bought. A move bills nothing. Items that cannot be moved are skipped with a reason.
import { toRfc3339 } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import { roundFraction, type Fraction } from '../../base/money/fraction.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { LiveSubscription } from '../../processor/customer-half.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { summaryOf } from '../../acts/jobs/jobs.ts'
import { startJob, type DoStep } from '../../acts/jobs/run-job.ts'
import { comingPrices } from '../item-swaps/swap-step.ts'
import { createMoney, type Money } from '../item-swaps/monthly-money.ts'
import { migrationFacts, type PlannedMigration } from './migration-facts.ts'
import { discountedMonths, type ItemMonths } from './discounted-moves.ts'
import { planMoves, type ReplacedPrice, replacedPrice } from './plan-moves.ts'
import { migrateTo } from './move-step.ts'
import { takingBack } from './take-back.ts'
import type { Caller, Overriding } from '../../api/notation/callers.ts'
import type { MigrationLine, MigrationPlan, MigrationRequest } from '../../api/customers/price-migrations.ts'
import type { JobRecord } from '../../store/records/journal.ts'
import type { Store } from '../../store/store.ts'

export const migrations = {
  planMigration,
  startMigration: async (deps: SwapDeps, request: MigrationRequest, caller: Caller & Overriding) =>
    summaryOf(deps, await startMigration(deps, request, caller)),
}

/**
 * Dry run: reads and plans but writes nothing. Reads the processor and not the mirror, because the plan must list every subscription that
 * the job will move. Throws `price_not_found`, or `tenant_not_found` for an unknown tenant in `only` or `except`.
 */
async function planMigration(
  deps: SwapDeps,
  request: MigrationRequest,
  { message = null, override }: Pick<Caller, 'message'> & Overriding = {},
): Promise<MigrationPlan> {
  await deps.assertAccount('look')
  const planned = await plan(deps, request)
  return { ...planned, violations: await deps.guard.violations(migrationFacts(planned, message), override) }
}

/**
 * Starts a migration. Resolves when the job is in the journal. Throws `price_not_found`, or `tenant_not_found` for an unknown tenant in
 * `only` or `except`.
 */
async function startMigration(
  deps: SwapDeps,
  request: MigrationRequest,
  caller: Caller & Overriding,
): Promise<JobRecord> {
  await deps.assertAccount('write')
  const planned = await plan(deps, request)
  const { overrides } = await deps.guard.allow(migrationFacts(planned, caller.message ?? null), caller.override ?? [])
  const { priceId, lines } = planned
  const { to, only, except } = request
  const input = {
    price_id: priceId,
    to: typeof to === 'object' ? toRfc3339(to.at) : to,
    ...(only === undefined ? {} : { only }),
    ...(except === undefined ? {} : { except }),
    key_id: caller.by?.keyId ?? null,
    ...(overrides.length === 0 ? {} : { overrides }),
  }
  return startJob(
    deps,
    {
      kind: 'migration',
      subject: priceId,
      input,
      caller,
      steps: lines.map(stepOf),
    },
    migrateTo(deps, { priceId, to }),
  )
}

/** Returns the function that executes the steps of a resumed migration, with the options of the original request. */
export function resumedMigration(deps: SwapDeps, job: JobRecord): DoStep {
  const {
    price_id: priceId,
    to,
    take_back_of: of,
  } = JSON.parse(job.input) as Record<'price_id' | 'to', string> & {
    readonly take_back_of?: string
  }
  if (of !== undefined) return takingBack(deps, priceId)
  return migrateTo(deps, { priceId, to: to === 'renewal' || to === 'now' ? to : { at: Date.parse(to) } })
}

function stepOf(line: MigrationLine): Readonly<Record<string, unknown>> {
  return {
    tenant_id: line.tenantId,
    customer: line.customer,
    subscription: line.subscription,
    item: line.item,
    from_processor_id: line.fromProcessorPriceId,
    to_processor_id: line.toProcessorPriceId,
    quantity: line.quantity,
    effective: line.effective,
    effective_at: toRfc3339(line.effectiveAt),
    skipped: line.skipped,
  }
}

async function plan(deps: SwapDeps, request: MigrationRequest): Promise<PlannedMigration> {
  const { processor, shutdown } = deps
  const book = await deps.priceBook()
  const replaced = replacedPrice(book, request.priceId)
  const priceId = replaced.booked.price.id
  const chosen = await chooseTenants(deps, request)
  const money = createMoney(deps.store.versions, book, priceId)
  const now = deps.clock.now()
  const waiting = await waitingMoves(deps.store.jobs, priceId)
  const lines: MigrationLine[] = []
  const subscriptions = await subscribersOf(deps, replaced)
  const known = await deps.store.mirror.discountedOn([
    ...replaced.former,
    ...(replaced.current === null ? [] : [replaced.current]),
  ])
  const discounted = new Map(known.map((one) => [one.subscription.id, one]))
  const tenants = await deps.store.tenants.idsByCustomer(new Set(subscriptions.map(({ customer }) => customer)))
  for (const subscription of subscriptions) {
    const tenantId = tenants.get(subscription.customer) ?? null
    if (!chosen(tenantId)) continue
    const coming = await askProcessor(shutdown, () => comingPrices(processor, subscription, shutdown))
    const moves = planMoves({ subscription, coming }, replaced, request.to, now)
    const months = new Map<string, ItemMonths>()
    for (const { item, from } of moves)
      months.set(item.id, {
        before: await money.before(item, from, subscription.currency),
        after: money.after(replaced.booked, item, subscription.currency),
      })
    const reduced = discounted.get(subscription.id)
    const paid = reduced === undefined ? months : await discountedMonths(deps, book, reduced, months)
    for (const move of moves)
      lines.push({
        tenantId,
        customer: subscription.customer,
        subscription: subscription.id,
        item: move.item.id,
        fromProcessorPriceId: move.from,
        toProcessorPriceId: replaced.current ?? priceId,
        quantity: move.item.quantity,
        currency: subscription.currency,
        monthlyBefore: minorUnits(paid.get(move.item.id)?.before ?? null),
        monthlyAfter: minorUnits(paid.get(move.item.id)?.after ?? null),
        effective: move.effective,
        effectiveAt: move.effectiveAt,
        skipped: move.skipped ?? waiting.get(move.item.id) ?? null,
      })
  }
  lines.push(...(await freeLines(deps, replaced, { chosen, money, now })))
  return { priceId, lines, totals: totalsOf(lines) }
}

const minorUnits = (amount: Fraction | null): number | null => (amount === null ? null : Number(roundFraction(amount)))

/**
 * Returns one line for each tenant whose free subscription dates from the time when the price was free. Such a subscription is always
 * skipped, because a tenant must not be billed without buying the price.
 */
async function freeLines(
  deps: SwapDeps,
  { booked, current }: ReplacedPrice,
  { chosen, money, now }: { readonly chosen: (tenant: string) => boolean; readonly money: Money; readonly now: number },
): Promise<readonly MigrationLine[]> {
  if (current === null) return []
  const { id: priceId, currency, interval, interval_count: intervalCount = 1 } = booked.price
  const monthlyAfter =
    interval === undefined
      ? null
      : minorUnits(money.after(booked, { quantity: 1, price: { interval, intervalCount } }, currency))
  const running = (await deps.store.localSubscriptions.running(priceId)).filter(({ tenantId }) => chosen(tenantId))
  return running.map(({ id, tenantId }) => ({
    tenantId,
    customer: '',
    subscription: id,
    item: id,
    fromProcessorPriceId: priceId,
    toProcessorPriceId: current,
    quantity: 1,
    currency,
    monthlyBefore: 0,
    monthlyAfter,
    effective: 'now',
    effectiveAt: now,
    skipped:
      'The subscription is free and does not exist at the processor. The tenant can buy the paid price at a checkout.',
  }))
}

/**
 * Returns the subscriptions to migrate, oldest first, without duplicates. Includes subscriptions that are already on the current price but
 * have a schedule, because the schedule may switch them back to a former price.
 */
async function subscribersOf(
  { processor, shutdown }: SwapDeps,
  { former, current }: ReplacedPrice,
): Promise<readonly LiveSubscription[]> {
  const on = (price: ProcessorId) => askProcessor(shutdown, () => processor.subscriptionsOfPrice(price, shutdown))
  const found = new Map<string, LiveSubscription>()
  for (const price of former) for (const one of await on(price)) found.set(one.id, one)
  if (former.size > 0 && current !== null)
    for (const one of await on(current)) if (one.schedule !== null) found.set(one.id, one)
  return [...found.values()].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
}

/**
 * Returns a filter by tenant: those in `only` (default: all), without those in `except`. With `only`, customers without a tenant are
 * excluded. Throws `tenant_not_found` for unknown tenant ids.
 */
async function chooseTenants(
  deps: SwapDeps,
  { only, except }: MigrationRequest,
): Promise<(tenantId: string | null) => boolean> {
  const unknown: string[] = []
  for (const id of new Set([...(only ?? []), ...(except ?? [])]))
    if ((await deps.store.tenants.find(id)) === null) unknown.push(`"${id}"`)
  if (unknown.length > 0) throw new ServiceError('tenant_not_found', `There is no tenant ${unknown.join(', ')}.`)
  const wanted = only === undefined ? null : new Set<string | null>(only)
  const locked = new Set<string | null>(except)
  return (tenantId) => (wanted === null || wanted.has(tenantId)) && !locked.has(tenantId)
}

const subscriptionsOf = (lines: readonly MigrationLine[]) => new Set(lines.map(({ subscription }) => subscription)).size

function totalsOf(lines: readonly MigrationLine[]): MigrationPlan['totals'] {
  const moving = lines.filter(({ skipped }) => skipped === null)
  const currencies = [...new Set(moving.map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const own = moving.filter((line) => line.currency === currency)
    const sum = (of: (line: MigrationLine) => number | null) => own.reduce((total, line) => total + (of(line) ?? 0), 0)
    return {
      currency,
      subscriptions: subscriptionsOf(own),
      byUsage: subscriptionsOf(own.filter((line) => line.monthlyBefore === null || line.monthlyAfter === null)),
      before: sum((line) => line.monthlyBefore),
      after: sum((line) => line.monthlyAfter),
    }
  })
}

/**
 * Returns, by subscription item, the reason why a migration skips the item: an earlier migration of the price will move it at a later date, which
 * this one could not change.
 */
async function waitingMoves(
  jobs: Pick<Store['jobs'], 'unfinished' | 'steps'>,
  priceId: string,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>()
  for (const { id } of await jobs.unfinished('migration', priceId))
    for (const step of await jobs.steps(id)) {
      if (step.waitsUntil === null) continue
      const { item } = JSON.parse(step.step) as { readonly item: string }
      reasons.set(item, `The job ${id} will move the item at a later date; cancel that job first.`)
    }
  return reasons
}
