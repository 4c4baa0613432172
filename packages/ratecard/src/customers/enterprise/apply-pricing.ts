// Applies negotiated prices to a tenant, or restores the ordinary ones. After a crash at any point, a retry completes the work: the
// processor is changed first, each write is journalled, and the tenant's record is written last. The work never bills anything immediately
// and never changes a quantity. swap-plan.ts decides which item gets which price.
import { processorId } from '../../catalog/resource.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { openAct } from '../../acts/act.ts'
import { failureText, runSteps, stopIfDraining } from '../../acts/journal/run-steps.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import type { Allowed } from '../../acts/guard-rails/guard.ts'
import { settleLateSwaps } from '../item-swaps/late-swaps.ts'
import { comingPrices, swapAct, type SwapStep } from '../item-swaps/swap-step.ts'
import type { BookedPrice, PriceBook } from '../item-swaps/price-book.ts'
import { auditRow, enterpriseOf, inWireNames } from '../tenants/audit.ts'
import { closePages } from '../tenants/at-processor.ts'
import { customerDeleted, isDeleted, tenantNotFound } from '../tenants/customer-link.ts'
import { withNamedLease, tenantLease, type TenantLease } from '../../acts/lease.ts'
import { applyStep } from './apply-steps.ts'
import { dealFacts, monthlyOf, movedItems } from './deal-money.ts'
import { removedPrices } from './removed-prices.ts'
import { signedPrices } from './signed-prices.ts'
import { onOtherDeal, planSwaps, type LiveState, type SwapPlan } from './swap-plan.ts'
import type {
  ApplyChoices,
  EnterpriseOutcome,
  EnterpriseTarget,
  SkipReport,
  SwapReport,
} from '../../api/customers/enterprise.ts'
import type { Caller, Overriding } from '../../api/notation/callers.ts'
import type { AuditRecord, EnterpriseFields, TenantRecord } from '../../store/records/tenants.ts'

export interface ApplyOptions extends Caller, ApplyChoices {
  /** Ids of the policies that the caller overrides. Absent if no policies are checked, e.g. because the service itself ends a deal. */
  readonly override?: readonly string[]
  /** Called with the tenant under the tenant's lease. If it returns a text, nothing is applied, and the text is the reason. */
  readonly unless?: (tenant: TenantRecord) => string | null
  /** True if the service ends the deal because its end date has come. The audit trail shows this. */
  readonly isEnd?: boolean
}

/** Thrown if `unless` skipped the apply. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError'
}

/**
 * Applies negotiated prices to a tenant. Throws `tenant_not_found`, `enterprise_price_not_found` or `tenant_busy`. If it fails midway,
 * `swaps` of the error lists the completed changes, and `not_swapped` the open ones. A dry run takes no lease and writes nothing.
 */
export async function applyEnterprise(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  options: Caller & Overriding & ApplyChoices & { readonly dryRun: boolean },
): Promise<EnterpriseOutcome> {
  await deps.assertAccount(options.dryRun ? 'look' : 'write')
  requireFuture(options, deps.clock.now())
  if (target.kind !== 'none') await refuseDeletedCustomer(deps, tenantId)
  if (!options.dryRun) return applyToTenant(deps, tenantId, target, { ...options, override: options.override ?? [] })
  const prepared = await prepare(deps, tenantId, target, { ...options, signal: deps.shutdown })
  const { tenant, plan } = prepared
  const moved = await movedOf(deps, prepared)
  return {
    ...outcomeOf(tenantId, plan.steps, plan.skipped, true),
    violations: await deps.guard.violations(dealFacts(plan.steps, moved, options.message ?? null), options.override),
    ...endOf(fieldsOf(target, tenant, options)),
    monthly: monthlyOf(moved),
  }
}

/** Throws `customer_deleted`: a deal for a customer that was deleted would hold for nobody, and stand in the way of another customer. */
async function refuseDeletedCustomer(deps: SwapDeps, tenantId: string): Promise<void> {
  const customer = (await deps.store.tenants.find(tenantId))?.processorCustomerId ?? null
  if (customer !== null && (await isDeleted(deps, customer))) throw customerDeleted(tenantId, customer)
}

const movedOf = ({ store }: SwapDeps, { book, states, plan: { steps }, signed }: PreparedApply) =>
  movedItems(store, book, states, { steps, signed })

/** Throws `request_invalid` if the deal would end in the past. */
function requireFuture({ endsAt }: ApplyChoices, now: number): void {
  if (typeof endsAt !== 'number' || endsAt > now) return
  const detail = `"ends_at" must be in the future.`
  throw new ServiceError('request_invalid', detail, {
    issues: [{ code: 'value_invalid', pointer: '#/ends_at', severity: 'error', detail }],
  })
}

/**
 * Like {@link applyEnterprise}, for callers that have already checked the processor account. If `unless` returns a text, throws a {@link
 * SupersededError} with it.
 */
export function applyToTenant(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  options: ApplyOptions,
): Promise<EnterpriseOutcome> {
  return withNamedLease(deps, tenantLease(tenantId), (lease) =>
    applyAlone(deps, tenantId, target, { ...options, lease }),
  )
}

async function applyAlone(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  options: ApplyOptions & { readonly lease: TenantLease },
): Promise<EnterpriseOutcome> {
  const { lease } = options
  await settleLate(deps, tenantId, lease)
  const allowed = await requireAllowed(deps, tenantId, target, options)
  // Expires checkout pages before it reads the subscriptions. So a subscription that was paid on a page just before is included.
  const checkoutsClosed = await closeFormerPages(deps, tenantId, target, options)
  const { tenant, plan } = await prepare(deps, tenantId, target, { ...options, signal: lease.signal })
  const jobId = await openJob(deps, tenant, target, plan, { ...options, override: allowed.overrides })
  const { steps, skipped } = jobId === null ? plan : await runAll(deps, tenantId, jobId, plan, lease)
  const fields = fieldsOf(target, tenant, options)
  const { violations, overrides } = allowed
  const outcome = {
    ...outcomeOf(tenantId, steps, skipped, false),
    ...(violations.length === 0 ? {} : { violations }),
    checkoutsClosed,
    ...endOf(fields),
  }
  const audit = auditOf(deps, tenant, target, { outcome, overrides, jobId, caller: options, fields })
  const endJob = async () => (jobId === null ? undefined : deps.store.jobs.end(jobId, 'done', null, lease.token))
  // After a crash between these two writes, the second one is missing. If the deal has reached its end date, the job is ended first,
  // because the regular check of such deals repeats the other write. Otherwise the job is ended last, because a job that looks interrupted
  // makes the caller retry.
  if (options.isEnd === true) await endJob()
  if ((await deps.store.tenants.setEnterprise(tenantId, fields, audit, lease.token)) === null)
    throw tenantNotFound(tenantId)
  if (options.isEnd !== true) await endJob()
  return outcome
}

/**
 * Throws `policy_denied` if a policy denies the change. Called before anything is written. If there are no policies, reads only the store.
 */
async function requireAllowed(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  options: ApplyOptions & { readonly lease: TenantLease },
): Promise<Allowed> {
  const { override, message = null, lease } = options
  if (override === undefined || (override.length === 0 && !(await deps.guard.isNeeded())))
    return { violations: [], overrides: [] }
  const prepared = await prepare(deps, tenantId, target, { ...options, signal: lease.signal })
  return deps.guard.allow(dealFacts(prepared.plan.steps, await movedOf(deps, prepared), message), override)
}

/**
 * First finds the outcome of late writes of earlier processes (requests without a response). Otherwise such a write could take effect after
 * the negotiated prices of this call.
 */
async function settleLate(deps: SwapDeps, tenantId: string, lease: TenantLease): Promise<void> {
  const tenant = await deps.store.tenants.find(tenantId)
  const signal = AbortSignal.any([lease.signal, deps.shutdown])
  if (tenant !== null)
    await settleLateSwaps(deps, { tenantId, customer: tenant.processorCustomerId }, { token: lease.token, signal })
}

/**
 * Expires checkout pages that were opened before the negotiated prices were applied, because these pages sell the ordinary price. No new
 * page can be opened meanwhile, because that needs the tenant's lease too. If the negotiated prices were already applied before, no page is
 * expired.
 */
async function closeFormerPages(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  { unless, lease }: ApplyOptions & { readonly lease: TenantLease },
): Promise<number> {
  const tenant = await deps.store.tenants.find(tenantId)
  if (tenant === null || tenant.processorCustomerId === null || (unless?.(tenant) ?? null) !== null) return 0
  const [before, after] = [enterpriseOf(tenant), dealOf(target)]
  if (before.enterpriseTemplate === after.enterpriseTemplate && before.enterpriseId === after.enterpriseId) return 0
  requirePrices(await deps.priceBook(), target)
  const pages = { customer: processorId(tenant.processorCustomerId), tenantId }
  return closePages(deps.processor, pages, AbortSignal.any([lease.signal, deps.shutdown]))
}

interface PreparedApply {
  readonly tenant: TenantRecord
  readonly plan: SwapPlan
  readonly book: PriceBook
  readonly states: readonly LiveState[]
  /** Prices that the items return to, by item id. Empty if the items return to the present base prices. */
  readonly signed: ReadonlyMap<string, BookedPrice>
}

async function prepare(
  deps: SwapDeps,
  tenantId: string,
  target: EnterpriseTarget,
  options: Pick<ApplyOptions, 'unless' | 'unmatched'> & { readonly signal: AbortSignal },
): Promise<PreparedApply> {
  const tenant = await deps.store.tenants.find(tenantId)
  if (tenant === null) throw tenantNotFound(tenantId)
  const reason = options.unless?.(tenant) ?? null
  if (reason !== null) throw new SupersededError(reason)
  const book = await deps.priceBook()
  requirePrices(book, target)
  const states = await liveStates(deps, tenant, options.signal)
  const removed = await removedPrices(deps.store, book, states)
  const toSigned = target.kind === 'none' && target.to === 'signed'
  const signed = toSigned ? await signedPrices(deps.store, book, tenantId) : new Map<string, BookedPrice>()
  const plan = planSwaps(states, book, target, { unmatched: options.unmatched, removed, signed })
  const local = target.kind === 'none' ? [] : await localSkips(deps, tenantId)
  return { tenant, plan: { ...plan, skipped: [...plan.skipped, ...local] }, book, states, signed }
}

/** Throws `enterprise_price_not_found` if the configuration has no price of the template or enterprise id. */
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
      reason: 'The subscription is to a free price, so it does not exist at the processor.',
    }))
}

/** Creates the job; returns null if the plan has no steps. Cancels unfinished earlier jobs, because the plan contains their open steps. */
async function openJob(
  deps: SwapDeps,
  tenant: TenantRecord,
  target: EnterpriseTarget,
  plan: SwapPlan,
  { lease, override = [], ...options }: ApplyOptions & { readonly lease: TenantLease },
): Promise<string | null> {
  const { jobs } = deps.store
  const tenantId = tenant.id
  const id = plan.steps.length === 0 ? null : deps.newId()
  for (const unfinished of await jobs.unfinished('enterprise_apply', tenantId)) {
    const error = {
      detail: 'The application of this deal was interrupted, and a later one took over.',
      superseded_by: id,
    }
    await jobs.end(unfinished.id, 'cancelled', JSON.stringify(error), lease.token)
  }
  if (id === null) return null
  const { unmatched } = options
  const said = {
    ...(unmatched === undefined ? {} : { unmatched }),
    ...(override.length === 0 ? {} : { overrides: override }),
    ...(target.kind === 'none' && target.to !== undefined ? { to: target.to } : {}),
  }
  const fields = fieldsOf(target, tenant, options)
  const input = { tenant_id: tenantId, ...inWireNames(fields), ...said, key_id: options.by?.keyId ?? null }
  const opened = { id, kind: 'enterprise_apply', subject: tenantId, input, steps: plan.steps, caller: options } as const
  await openAct(deps, swapAct(deps.processor), opened, lease)
  return id
}

/** Executes the steps of the plan in order. Returns the completed steps and the skipped items. */
async function runAll(
  deps: SwapDeps,
  tenantId: string,
  jobId: string,
  plan: SwapPlan,
  lease: TenantLease,
): Promise<SwapPlan> {
  const done: SwapStep[] = []
  const skipped = [...plan.skipped]
  const inOrder = 1
  await runSteps([...plan.steps.entries()], inOrder, async ([index, step]) => {
    try {
      stopIfDraining(deps)
      lease.signal.throwIfAborted()
      const refusal = await applyStep(deps, { jobId, index, step }, lease)
      if (refusal === null) done.push(step)
      else skipped.push(...skipReports(step, refusal))
    } catch (error) {
      const rest = plan.steps.slice(index)
      const failure =
        error instanceof ServiceError ? interruptedApply(error, { tenantId, jobId, done, rest, skipped }) : error
      const state = failure instanceof ServiceError && failure.code === 'shutting_down' ? 'interrupted' : 'failed'
      // The journal itself may have caused the failure. An error of this write must not hide the original error.
      await deps.store.jobs.end(jobId, state, failureText(failure), lease.token).catch(() => undefined)
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

function interruptedApply(
  error: ServiceError,
  { tenantId, jobId, done, rest, skipped }: InterruptedApply,
): ServiceError {
  const swaps = swapReports(done)
  const missing = swapReports(rest)
  const far = `${String(swaps.length)} of ${String(swaps.length + missing.length)} items were swapped`
  return new ServiceError(error.code, `${error.message} ${far}; the tenant’s enterprise fields are unchanged.`, {
    hint: 'Apply the deal again. Completed changes are not repeated; the remaining ones are made.',
    processor: error.processor,
    retryAfter: error.retryAfter,
    extra: { tenant_id: tenantId, job_id: jobId, swaps, not_swapped: missing, skipped },
    cause: error,
  })
}

function swapReports(steps: readonly SwapStep[]): readonly SwapReport[] {
  return steps.flatMap(({ subscription, effective, moves, reopens = [] }) =>
    moves.map(({ item, from, to, toProcessorId }) => ({
      ...{ subscription, item, from, to, effective },
      ...(reopens.includes(toProcessorId) ? { former: true as const } : {}),
    })),
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
  const counts = { pricesSwapped: swaps.length, leftOnOtherDeal, checkoutsClosed: 0 }
  return { tenantId, dryRun, swaps, skipped, ...counts, endsAt: null, then: null }
}

const actions = { template: 'apply_template', custom: 'apply_custom', none: 'remove' } as const

function auditOf(
  deps: SwapDeps,
  tenant: TenantRecord,
  target: EnterpriseTarget,
  done: {
    readonly outcome: EnterpriseOutcome
    readonly overrides: readonly string[]
    readonly jobId: string | null
    readonly caller: ApplyOptions
    readonly fields: EnterpriseFields
  },
): AuditRecord {
  const { outcome, overrides, jobId, caller, fields } = done
  const { pricesSwapped, swaps, skipped, leftOnOtherDeal: left, checkoutsClosed: closed } = outcome
  return auditRow(
    { newId: deps.newId, now: deps.clock.now() },
    {
      tenantId: tenant.id,
      action: caller.isEnd === true ? 'deal_ended' : actions[target.kind],
      before: enterpriseOf(tenant),
      after: fields,
      result: {
        job_id: jobId,
        prices_swapped: pricesSwapped,
        swaps,
        skipped,
        left_on_other_deal: left,
        checkouts_closed: closed,
        ...(target.kind === 'none' && target.to === 'signed' ? { to: target.to } : {}),
        ...(overrides.length === 0 ? {} : { overrides, message: caller.message ?? null }),
      },
    },
    caller,
  )
}

/** Returns the fields that select the negotiated prices of the target. */
function dealOf(target: EnterpriseTarget): Pick<EnterpriseFields, 'enterpriseTemplate' | 'enterpriseId'> {
  return {
    enterpriseTemplate: target.kind === 'template' ? target.template : null,
    enterpriseId: target.kind === 'custom' ? target.enterpriseId : null,
  }
}

/**
 * Returns the tenant's fields after negotiated prices are applied. Without `endsAt`, the same deal keeps its end date, because applying may
 * be repeated to finish it or to include new items. A different deal then has no end date.
 */
function fieldsOf(target: EnterpriseTarget, tenant: TenantRecord, { endsAt, then }: ApplyChoices): EnterpriseFields {
  const deal = dealOf(target)
  const isSame = deal.enterpriseTemplate === tenant.enterpriseTemplate && deal.enterpriseId === tenant.enterpriseId
  const keeps = target.kind !== 'none' && endsAt === undefined && isSame
  const enterpriseEndsAt = target.kind === 'none' ? null : keeps ? tenant.enterpriseEndsAt : (endsAt ?? null)
  const enterpriseThen = enterpriseEndsAt === null ? null : keeps ? tenant.enterpriseThen : (then ?? 'base')
  return { ...deal, enterpriseEndsAt, enterpriseThen }
}

const endOf = ({ enterpriseEndsAt: endsAt, enterpriseThen: then }: EnterpriseFields) => ({ endsAt, then })
