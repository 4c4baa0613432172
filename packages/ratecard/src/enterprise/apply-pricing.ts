// Applies negotiated prices to a tenant, or restores the ordinary ones. After a crash at any point, a retry completes the work: the
// processor is changed first, each write is journalled, and the tenant's field is written last. Never bills immediately and never changes a
// quantity. swap-plan.ts decides which item gets which price.
import { processorId } from '../catalog/resource.ts'
import { ServiceError } from '../errors/service-error.ts'
import { failureText, runSteps, stopIfDraining } from '../journal/run-steps.ts'
import { askProcessor } from '../processor/failures.ts'
import type {
  ApplyChoices,
  Caller,
  EnterpriseOutcome,
  EnterpriseTarget,
  SkipReport,
  SwapReport,
} from '../service/tenants.ts'
import type { AuditRecord, EnterpriseFields, TenantRecord } from '../store/tenant-store.ts'
import { keyOf } from '../store/records/actor.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { settleLateSwaps } from '../item-swaps/late-swaps.ts'
import { comingPrices, stepRecord, type SwapStep } from '../item-swaps/swap-step.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import { auditRow, enterpriseOf, inWireNames } from '../tenants/audit.ts'
import { closePages } from '../tenants/at-processor.ts'
import { withNamedLease, tenantLease, type TenantLease } from '../tenants/lease.ts'
import { runStep } from './apply-steps.ts'
import { removedPrices } from './removed-prices.ts'
import { onOtherDeal, planSwaps, type LiveState, type SwapPlan } from './swap-plan.ts'

export interface ApplyOptions extends Caller, ApplyChoices {
  /** Called with the tenant, under the tenant's lease. If it returns a text, the apply is skipped for that reason. */
  readonly unless?: (tenant: TenantRecord) => string | null
}

/** Thrown if `unless` skipped the apply. */
export class SupersededError extends Error {
  override readonly name = 'NotWanted'
}

/**
 * Applies negotiated prices to a tenant. Throws `tenant_not_found`, `enterprise_price_not_found` or `tenant_busy`. If it fails midway, the
 * error lists the completed and the open changes in `swaps` and `not_swapped`. A dry run takes no lease and writes nothing.
 */
export async function applyEnterprise(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  options: Caller & ApplyChoices & { readonly dryRun: boolean },
): Promise<EnterpriseOutcome> {
  await deps.assertAccount(options.dryRun ? 'look' : 'write')
  if (!options.dryRun) return applyToTenant(deps, tenantId, target, options)
  const { plan } = await prepare(deps, tenantId, target, { ...options, signal: deps.shutdown })
  return outcomeOf(tenantId, plan.steps, plan.skipped, true)
}

/**
 * Like {@link applyEnterprise}, for callers that have already checked the processor account. Throws a {@link SupersededError} with the text
 * that `unless` returned.
 */
export function applyToTenant(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  options: ApplyOptions,
): Promise<EnterpriseOutcome> {
  return withNamedLease(deps, tenantLease(tenantId), (held) => applyAlone(deps, tenantId, target, { ...options, held }))
}

async function applyAlone(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  options: ApplyOptions & { readonly held: TenantLease },
): Promise<EnterpriseOutcome> {
  const { held } = options
  await settleLate(deps, tenantId, held)
  // Expires checkout pages before the subscriptions are read, so that a subscription that was just paid on a page is included.
  const checkoutsClosed = await closeFormerPages(deps, tenantId, target, options)
  const { tenant, plan } = await prepare(deps, tenantId, target, { ...options, signal: held.signal })
  const jobId = await openJob(deps, tenantId, target, plan, options)
  const { steps, skipped } = jobId === null ? plan : await runAll(deps, tenantId, jobId, plan, held)
  const outcome = { ...outcomeOf(tenantId, steps, skipped, false), checkoutsClosed }
  const audit = auditOf(deps, tenant, target, { outcome, jobId, caller: options })
  if ((await deps.store.tenants.setEnterprise(tenantId, fieldsOf(target), audit, held.token)) === null)
    throw tenantNotFound(tenantId)
  // Ends the job after the tenant's field is written. If the process crashes in between, the job looks interrupted; otherwise it would look
  // done although it is not.
  if (jobId !== null) await deps.store.jobs.end(jobId, 'done', null, held.token)
  return outcome
}

/**
 * Resolves late writes of earlier processes first (requests whose response never arrived). Otherwise such a write could take effect after
 * this apply.
 */
async function settleLate(deps: SwapDeps, tenantId: string, held: TenantLease): Promise<void> {
  const tenant = await deps.store.tenants.find(tenantId)
  const signal = AbortSignal.any([held.signal, deps.shutdown])
  if (tenant !== null)
    await settleLateSwaps(deps, { tenantId, customer: tenant.processorCustomerId }, { token: held.token, signal })
}

/**
 * Expires checkout pages that were opened before the negotiated prices were applied, because they sell the ordinary price. No page is
 * opened meanwhile, because that needs the tenant's lease too. If the negotiated prices are already applied, no page is expired.
 */
async function closeFormerPages(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  { unless, held }: ApplyOptions & { readonly held: TenantLease },
): Promise<number> {
  const tenant = await deps.store.tenants.find(tenantId)
  if (tenant === null || tenant.processorCustomerId === null || (unless?.(tenant) ?? null) !== null) return 0
  const [before, after] = [enterpriseOf(tenant), fieldsOf(target)]
  if (before.enterpriseTemplate === after.enterpriseTemplate && before.enterpriseId === after.enterpriseId) return 0
  requirePrices(await deps.priceBook(), target)
  const pages = { customer: processorId(tenant.processorCustomerId), tenantId }
  return closePages(deps.processor, pages, AbortSignal.any([held.signal, deps.shutdown]))
}

async function prepare(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  options: Pick<ApplyOptions, 'unless' | 'unmatched'> & { readonly signal: AbortSignal },
): Promise<{ readonly tenant: TenantRecord; readonly plan: SwapPlan }> {
  const tenant = await deps.store.tenants.find(tenantId)
  if (tenant === null) throw tenantNotFound(tenantId)
  const reason = options.unless?.(tenant) ?? null
  if (reason !== null) throw new SupersededError(reason)
  const book = await deps.priceBook()
  requirePrices(book, target)
  const states = await liveStates(deps, tenant, options.signal)
  const removed = await removedPrices(deps.store, book, states)
  const plan = planSwaps(states, book, target, { unmatched: options.unmatched, removed })
  const local = target.kind === 'none' ? [] : await localSkips(deps, tenantId)
  return { tenant, plan: { ...plan, skipped: [...plan.skipped, ...local] } }
}

/** Throws `enterprise_price_not_found` if no price of the configuration has the template or the enterprise id. */
export function requirePrices(book: PriceBook, target: EnterpriseTarget): void {
  if (target.kind === 'none' || book.of(target).length > 0) return
  const name = target.kind === 'template' ? `template "${target.template}"` : `enterprise id "${target.enterpriseId}"`
  throw new ServiceError('enterprise_price_not_found', `No price of the configuration has the ${name}.`, {
    hint: '`ratecard enterprise coverage` lists the templates and enterprise ids of the configuration.',
  })
}

async function liveStates(deps: SwapDeps, tenant: TenantRecord, signal: AbortSignal): Promise<readonly LiveState[]> {
  const { processorCustomerId: customer } = tenant
  if (customer === null) return []
  const reading = AbortSignal.any([signal, deps.shutdown])
  return askProcessor(reading, async () => {
    const states: LiveState[] = []
    for (const subscription of await deps.processor.subscriptions(processorId(customer), reading))
      states.push({ subscription, coming: await comingPrices(deps.processor, subscription, reading) })
    return states
  })
}

async function localSkips(deps: SwapDeps, tenantId: string): Promise<readonly SkipReport[]> {
  const subscriptions = await deps.store.localSubscriptions.list(tenantId)
  return subscriptions
    .filter(({ endedAt }) => endedAt === null)
    .map(({ id, priceId }) => ({
      subscription: id,
      item: null,
      price: priceId,
      reason: 'The subscription is to a free price and is not at the processor.',
    }))
}

/** Creates the job; returns null if there are no steps. Cancels unfinished earlier applies, because this plan contains their open steps. */
async function openJob(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  plan: SwapPlan,
  { held, author, message, requestId, by, unmatched }: ApplyOptions & { readonly held: TenantLease },
): Promise<string | null> {
  const { jobs } = deps.store
  const id = plan.steps.length === 0 ? null : deps.newId()
  for (const unfinished of await jobs.unfinished('enterprise_apply', tenantId)) {
    const error = { detail: 'It was interrupted, and a later apply took over.', superseded_by: id }
    await jobs.end(unfinished.id, 'cancelled', JSON.stringify(error), held.token)
  }
  if (id === null) return null
  const fields = fieldsOf(target)
  const choices = unmatched === undefined ? {} : { unmatched }
  const input = { tenant_id: tenantId, ...inWireNames(fields), ...choices, key_id: by?.keyId ?? null }
  await jobs.open(
    {
      id,
      kind: 'enterprise_apply',
      subject: tenantId,
      input: JSON.stringify(input),
      author,
      ...keyOf(by),
      message: message ?? null,
      requestId,
      createdAt: deps.clock.now(),
      steps: plan.steps.map((step) => JSON.stringify(stepRecord(step))),
    },
    held.token,
  )
  return id
}

/** Executes the steps of the plan in order. Returns the completed steps and the skipped items. */
async function runAll(
  deps: SwapDeps,
  tenantId: string,
  jobId: string,
  plan: SwapPlan,
  held: TenantLease,
): Promise<SwapPlan> {
  const done: SwapStep[] = []
  const skipped = [...plan.skipped]
  const inOrder = 1
  await runSteps([...plan.steps.entries()], inOrder, async ([index, step]) => {
    try {
      stopIfDraining(deps)
      held.signal.throwIfAborted()
      const refusal = await runStep(deps, { jobId, index, step, held })
      if (refusal === null) done.push(step)
      else skipped.push(...skipReports(step, refusal.reason))
    } catch (error) {
      const rest = plan.steps.slice(index)
      const failure = error instanceof ServiceError ? stopped(error, { tenantId, jobId, done, rest, skipped }) : error
      const state = failure instanceof ServiceError && failure.code === 'shutting_down' ? 'interrupted' : 'failed'
      // The journal itself may have caused the failure. An error of this write must not hide the original error.
      await deps.store.jobs.end(jobId, state, failureText(failure), held.token).catch(() => undefined)
      throw failure
    }
  })
  return { steps: done, skipped }
}

interface InterruptedApply {
  readonly tenantId: string
  readonly jobId: string
  readonly done: readonly SwapStep[]
  readonly rest: readonly SwapStep[]
  readonly skipped: readonly SkipReport[]
}

function stopped(error: ServiceError, { tenantId, jobId, done, rest, skipped }: InterruptedApply): ServiceError {
  const swaps = swapReports(done)
  const missing = swapReports(rest)
  const far = `${String(swaps.length)} of ${String(swaps.length + missing.length)} items were swapped`
  return new ServiceError(error.code, `${error.message} ${far}; the tenant’s enterprise fields are unchanged.`, {
    hint: 'Apply again: completed changes are not repeated, the others are made.',
    processor: error.processor,
    retryAfter: error.retryAfter,
    extra: { tenant_id: tenantId, job_id: jobId, swaps, not_swapped: missing, skipped },
    cause: error,
  })
}

function swapReports(steps: readonly SwapStep[]): readonly SwapReport[] {
  return steps.flatMap(({ subscription, effective, moves }) =>
    moves.map(({ item, from, to }) => ({ subscription, item, from, to, effective })),
  )
}

function skipReports({ subscription, moves }: SwapStep, reason: string): readonly SkipReport[] {
  return moves.map(({ item, from }) => ({ subscription, item, price: from, reason }))
}

function outcomeOf(
  tenantId: string,
  steps: readonly SwapStep[],
  skipped: readonly SkipReport[],
  dryRun: boolean,
): EnterpriseOutcome {
  const swaps = swapReports(steps)
  const leftOnOtherDeal = skipped.filter(({ reason }) => reason === onOtherDeal).length
  return { tenantId, dryRun, pricesSwapped: swaps.length, swaps, skipped, leftOnOtherDeal, checkoutsClosed: 0 }
}

const actions = { template: 'apply_template', custom: 'apply_custom', none: 'remove' } as const

function auditOf(
  deps: SwapDeps,
  tenant: TenantRecord,
  target: EnterpriseTarget,
  done: { readonly outcome: EnterpriseOutcome; readonly jobId: string | null; readonly caller: Caller },
): AuditRecord {
  const { outcome, jobId, caller } = done
  const { pricesSwapped, swaps, skipped, leftOnOtherDeal: left, checkoutsClosed: closed } = outcome
  return auditRow(
    { newId: deps.newId, now: deps.clock.now() },
    {
      tenantId: tenant.id,
      action: actions[target.kind],
      before: enterpriseOf(tenant),
      after: fieldsOf(target),
      result: {
        job_id: jobId,
        prices_swapped: pricesSwapped,
        swaps,
        skipped,
        left_on_other_deal: left,
        checkouts_closed: closed,
      },
    },
    caller,
  )
}

function fieldsOf(target: EnterpriseTarget): EnterpriseFields {
  return {
    enterpriseTemplate: target.kind === 'template' ? target.template : null,
    enterpriseId: target.kind === 'custom' ? target.enterpriseId : null,
  }
}

function tenantNotFound(id: string): ServiceError {
  return new ServiceError('tenant_not_found', `There is no tenant "${id}".`, {
    hint: 'List them with `ratecard tenants list`.',
  })
}
