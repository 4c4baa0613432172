// Previews and makes changes of a subscription. decide-change.ts decides what changes; run-change.ts executes the change.
import { previewMinutes } from '../../api/server/limits.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { ChangeStep } from '../item-swaps/change-step.ts'
import { countingRefusedCodes } from '../checkout/refused-codes.ts'
import { formatMinor } from '../../base/money/format.ts'
import type { InvoicePreview } from '../../processor/customer-half.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { ItemsUpdate, PreviewedUpdate } from '../../processor/subscription-change.ts'
import { paidByBalance } from '../item-swaps/monthly-money.ts'
import { beginPlanned } from '../tenants/planned-free.ts'
import { settleFree } from '../tenants/free-subscriptions.ts'
import type { TenantLease } from '../../acts/lease.ts'
import {
  billedNow,
  onlyUsageDiffers,
  type BilledNow,
  afterInvoice,
  invoiceWarnings,
  isFixed,
  begunAt,
  codeAfter,
  discountsOfUsage,
  discountsThen,
  inArrears,
  meteredPrices,
  usageOnly,
  usedUpBy,
  withUsage,
} from './decide/next-invoice.ts'
import { decideChange, freeSteps } from './decide/decide-change.ts'
import type { ChangeDecision, ChangeSituation } from './decide/decision.ts'
import type { ChangeDeps } from './deps.ts'
import { requestId, findPreview, storePreview, previewLifetimeMs, type StoredPreview } from './earlier-requests.ts'
import { monthlyShown } from './decide/monthly.ts'
import { closePagesWithCode, closeSellingPages } from './open-pages.ts'
import { readChange, readLive, refuseSoldSince, type ReadChange } from './decide/read-change.ts'
import { storeBegunPeriod } from './decisions.ts'
import { withSettledTenant, finishJob, putBackAfterAct, putBackSchedules, runChange } from './run-change.ts'
import type { KeyedCaller } from '../../api/notation/callers.ts'
import type { ChangeOutcome, ChangePreview, NewChange } from '../../api/customers/subscription-changes.ts'
import type { Principal } from '../../api/customers/sessions.ts'
import type { PlannedFreeRecord, TenantRecord } from '../../store/records/tenants.ts'
import type { ProcessorId } from '../../catalog/resource.ts'

type PreviewContent = Omit<ChangePreview, 'preview'>

/** A decided change with its amounts at a moment. */
interface ChangeCost {
  readonly decision: ChangeDecision
  /** Moment from which the change is prorated, by the customer's clock. */
  readonly at: number
  readonly shown: PreviewContent
  readonly billed: BilledNow
}

export async function previewChange(
  deps: ChangeDeps,
  requestedChange: Omit<NewChange, 'preview'>,
  principal: Principal,
): Promise<ChangePreview> {
  const { id } = await deps.tenantOf(principal)
  return countingCodes(deps, id, { requestedChange, principal }, () =>
    previewAndStore(deps, requestedChange, principal),
  )
}

/** Counts refused promotion codes that an end user entered, together with those at a checkout. */
function countingCodes<T>(
  deps: ChangeDeps,
  tenantId: string,
  {
    requestedChange,
    principal,
  }: { readonly requestedChange: Omit<NewChange, 'preview'>; readonly principal: Principal },
  work: () => Promise<T>,
): Promise<T> {
  if (principal.kind !== 'session' || requestedChange.promotionCode === undefined) return work()
  return countingRefusedCodes(deps, tenantId, work)
}

async function previewAndStore(
  deps: ChangeDeps,
  requestedChange: Omit<NewChange, 'preview'>,
  principal: Principal,
): Promise<ChangePreview> {
  const tenant = await deps.tenantOf(principal)
  const session = principal.kind === 'session'
  const read = await readChange(deps, tenant, requestedChange, { session, signal: deps.shutdown })
  const { at, shown, billed } = await computeCost(deps, read, null, deps.shutdown)
  const id = `prv_${deps.newId()}`
  await storePreview(deps, tenant.id, {
    id,
    subscription: shown.subscription,
    at,
    fingerprint: read.fingerprint,
    shown,
    billed,
    job: null,
    madeAt: deps.clock.now(),
  })
  return { preview: id, ...shown }
}

export async function changeSubscription(
  deps: ChangeDeps,
  { preview = null, ...request }: Omit<NewChange, 'preview'> & { readonly preview?: string | null | undefined },
  principal: Principal,
  caller: KeyedCaller,
): Promise<ChangeOutcome> {
  const session = principal.kind === 'session'
  if (session && preview === null)
    throw new ServiceError('preview_required', 'A session can change a subscription only after a preview.', {
      hint: 'Request a preview (POST subscription/preview), show it to the customer, and send its "preview" with the change.',
    })
  const { id } = await deps.tenantOf(principal)
  await deps.assertAccount('write')
  const change = () => changeUnderLease(deps, id, { preview, requestedChange: request, principal, caller })
  return countingCodes(deps, id, { requestedChange: request, principal }, change)
}

interface RequestedChange extends Pick<ChangeRequestContext, 'preview' | 'caller'> {
  readonly requestedChange: Omit<NewChange, 'preview'>
  readonly principal: Principal
}

function changeUnderLease(
  deps: ChangeDeps,
  id: string,
  { preview, requestedChange, principal, caller }: RequestedChange,
): Promise<ChangeOutcome> {
  const session = principal.kind === 'session'
  const find = () => deps.tenantOf(principal)
  return withSettledTenant(deps, id, find, async (tenant, lease) => {
    const name = preview ?? requestId(caller, { principal, tenant, request: requestedChange })
    const made = await findEarlierOutcome(deps, id, name, lease)
    if (made !== null) {
      await putBackAfterAct(deps, id, lease)
      return outcomeOf(preview, made.shown, made)
    }
    await putBackSchedules(deps, id, lease)
    const read = await readChange(deps, tenant, requestedChange, { session, signal: lease.signal })
    const cost =
      preview === null
        ? await computeCost(deps, read, null, lease.signal)
        : await computeCostAsShown(deps, read, await findFresh(deps, id, preview, read), lease.signal)
    return carryOutChange(deps, tenant, { ...read, ...cost }, { preview, name, caller, bySession: session, lease })
  })
}

/**
 * Returns the result of an earlier request with the same preview or idempotency key. If that request's process died before its response,
 * executes the remaining steps. Returns null if the earlier request changed nothing.
 */
async function findEarlierOutcome(deps: ChangeDeps, tenantId: string, id: string | null, lease: TenantLease) {
  const kept = id === null ? null : await findPreview(deps, tenantId, id)
  if (kept === null || kept.job === null) return null
  const done = await finishJob(deps, kept.job, lease)
  return done === null ? null : { ...done, shown: kept.shown }
}

async function findFresh(
  deps: ChangeDeps,
  tenantId: string,
  id: string,
  { fingerprint }: ReadChange,
): Promise<StoredPreview> {
  const kept = await findPreview(deps, tenantId, id)
  if (kept === null) throw stalePreview('The preview no longer exists.')
  if (kept.fingerprint !== fingerprint)
    throw stalePreview('The subscription, a price or the request has changed since the preview.')
  return kept
}

/**
 * Computes the change as of the time of its preview. Throws `preview_stale` if the preview is too old or the amount has changed. Usage that
 * came in since is billed too, and does not make the preview stale: a tenant with steady usage could otherwise never change.
 */
async function computeCostAsShown(
  deps: ChangeDeps,
  read: ReadChange,
  kept: StoredPreview,
  signal: AbortSignal,
): Promise<ChangeCost> {
  const now = await computeCost(deps, read, null, signal)
  if (now.at - kept.at > previewLifetimeMs)
    throw stalePreview(`The preview is more than ${previewMinutes} minutes old.`)
  const { shown } = kept
  const then = now.decision.billsNow ? await computeCost(deps, read, kept.at, signal) : now
  if (then.shown.dueNow.amount === shown.dueNow.amount) return { ...then, at: kept.at, shown }
  if (onlyUsageDiffers(then.billed, kept.billed)) return { ...then, at: kept.at }
  throw stalePreview(`The change costs ${then.shown.dueNow.formatted} now instead of ${shown.dueNow.formatted}.`)
}

const stalePreview = (detail: string) =>
  new ServiceError('preview_stale', `${detail} Nothing was changed.`, {
    hint: 'Request a new preview and show it to the customer.',
  })

function updateOf(decision: ChangeDecision, at: number | null): ItemsUpdate {
  const { subscription, items, proration, waitsForPayment, promotion, endsFree } = decision
  return {
    ...{ subscription: subscription.id, items, proration, prorateAt: at, waitsForPayment, promotion },
    ...(endsFree.length === 0 ? {} : { ends: [...subscription.ends, ...endsFree] }),
  }
}

/** Decides the change and previews its cost at the processor. `at` is the time of an earlier preview; null for now. */
async function computeCost(
  deps: ChangeDeps,
  { situation }: ReadChange,
  at: number | null,
  signal: AbortSignal,
): Promise<ChangeCost> {
  const decision = decideChange(situation)
  const update = updateOf(decision, at)
  const preview = () => deps.processor.previewUpdate(update, 'immediate', signal)
  const due = decision.billsNow ? await askProcessor(signal, preview) : null
  const renewal = await nextInvoice(deps, { decision, situation }, { update, due }, signal)
  const next = due === null ? renewal : afterInvoice(renewal, due)
  const { state, promotionTerms } = situation
  const moment = at ?? state.clockTime ?? momentOf(due) ?? deps.clock.now()
  const hasFixed = promotionTerms.fixed || state.discountTerms.some(isFixed)
  const warnings = invoiceWarnings(decision, hasFixed, { due, next })
  const shown = previewOf(decision, { due, next, moment, warnings })
  return { decision, at: moment, shown, billed: billedNow(due, situation.present) }
}

/**
 * Returns the time at which the change begins, which is the latest start of a line of its invoice. null without lines that begin with the
 * change, e.g. if it bills only the usage until now.
 */
function momentOf(due: InvoicePreview | null): number | null {
  const begun = due?.lines.filter(({ periodEnd }) => periodEnd > (due.dueAt ?? 0)) ?? []
  const starts = begun.map(({ periodStart }) => periodStart)
  return starts.length === 0 ? null : Math.max(...starts)
}

function previewOf(
  decision: ChangeDecision,
  {
    due,
    next,
    moment,
    warnings,
  }: {
    readonly due: InvoicePreview | null
    readonly next: InvoicePreview | null
    readonly moment: number
    readonly warnings: ChangeDecision['warnings']
  },
): PreviewContent {
  const { subscription, when, periodEnd, before, after, monthly } = decision
  const { currency } = subscription
  const names = new Map([...before, ...after].map(({ processorPriceId, priceId }) => [processorPriceId, priceId]))
  return {
    subscription: subscription.id,
    when,
    effectiveAt: periodEnd ?? moment,
    before: [...before],
    after: [...after],
    dueNow:
      due === null ? { ...moneyOf(0, currency), creditApplied: 0, balance: 0, balanceApplied: 0 } : invoiceAmounts(due),
    nextInvoice: next && {
      at: next.dueAt,
      ...invoiceAmounts(next),
      lines: next.lines.map(({ price, proration: _proration, net: _net, ...line }) => ({
        ...line,
        priceId: price === null ? null : (names.get(price) ?? null),
        processorPriceId: price,
      })),
    },
    monthly: { before: monthlyShown(monthly.before, currency), after: monthlyShown(monthly.after, currency) },
    warnings: [...decision.warnings, ...warnings],
  }
}

const invoiceAmounts = (invoice: InvoicePreview) => ({
  ...moneyOf(invoice.amountDue, invoice.currency),
  creditApplied: invoice.creditsApplied,
  ...paidByBalance(invoice),
})

const moneyOf = (amount: number, currency: string) => ({ amount, currency, formatted: formatMinor(amount, currency) })

interface ChangeRequestContext {
  readonly preview: string | null
  /** Id under which a retry finds the change: that of the preview, or else of the request. null if a retry cannot find it. */
  readonly name: string | null
  readonly caller: KeyedCaller
  readonly bySession: boolean
  readonly lease: TenantLease
}

async function carryOutChange(
  deps: ChangeDeps,
  tenant: TenantRecord,
  { decision, at, shown, billed, fingerprint, beside, situation: { promotionCode } }: ChangeCost & ReadChange,
  { preview, name, caller, bySession, lease }: ChangeRequestContext,
): Promise<ChangeOutcome> {
  const kept = { subscription: shown.subscription, at, fingerprint, shown, billed, madeAt: deps.clock.now() }
  const planned = plannedFree(decision, { id: `sub_local_${deps.newId()}`, tenantId: tenant.id, at })
  // A page that was paid since the subscriptions were read is not open any more, and has sold one of its own.
  if (await closeSellingPages(deps, tenant, shown, lease.signal))
    await refuseSoldSince(deps, tenant, beside, lease.signal)
  if (bySession && promotionCode !== null) await closePagesWithCode(deps, tenant, promotionCode, lease.signal)
  const done = await runChange(deps, {
    tenantId: tenant.id,
    act: 'change',
    subscription: shown.subscription,
    about: {
      preview,
      when: shown.when,
      before: shown.before.map(auditedItem),
      after: shown.after.map(auditedItem),
      due_now: shown.dueNow,
    },
    steps: stepsOf(decision, at),
    ...{ caller, lease, bySession },
    plannedFree: planned,
    setAside: decision.setAside,
    opened: async (job) => {
      if (name !== null) await storePreview(deps, tenant.id, { id: name, ...kept, job })
      const { sessionBegins: intervals } = decision
      if (intervals.length > 0) await storeBegunPeriod(deps, shown.subscription, { at, intervals })
    },
  })
  if (decision.setAside?.then !== undefined) await putBackAfterAct(deps, tenant.id, lease)
  if (planned !== null && decision.when === 'now') await beginPlanned(deps, [planned])
  if (decision.endsFree.length > 0) await settleFree(deps, tenant.id, await readLive(deps, tenant, lease.signal))
  return outcomeOf(preview, shown, done)
}

/** Returns the free subscription that begins when the paid one ends; null if the change is not to a free price. */
function plannedFree(
  { free, subscription, periodEnd }: ChangeDecision,
  { id, tenantId, at }: { readonly id: string; readonly tenantId: string; readonly at: number },
): PlannedFreeRecord | null {
  if (free === null) return null
  return { subscription: subscription.id, tenantId, id, priceId: free.price, beginsAt: periodEnd ?? at }
}

const auditedItem = ({ priceId, processorPriceId, quantity }: PreviewContent['before'][number]) => ({
  price_id: priceId,
  processor_price_id: processorPriceId,
  quantity,
})

function stepsOf(decision: ChangeDecision, at: number): readonly ChangeStep[] {
  const { subscription, schedule, reopens, releases, items, promotion, free } = decision
  if (free !== null) return freeSteps(decision, free)
  if (schedule !== null) return [{ op: 'schedule', ...schedule, ...(reopens.length === 0 ? {} : { reopens }) }]
  const release: ChangeStep[] =
    releases === null ? [] : [{ op: 'release', subscription: subscription.id, schedule: releases }]
  const update = updateOf(decision, at)
  if (items.length > 0) return [...release, { op: 'update', ...update }]
  // A customer who takes back a scheduled change keeps the items, so that only a promotion code is left to write, and nothing is prorated.
  return promotion === null ? release : [...release, { op: 'update', ...update, proration: 'none' }]
}

function outcomeOf(
  preview: string | null,
  shown: PreviewContent,
  { payment }: { readonly payment: { readonly url: string | null } | null },
): ChangeOutcome {
  const status = payment !== null ? 'payment_required' : shown.when === 'now' ? 'changed' : 'scheduled'
  const url = payment?.url ?? null
  return { preview, ...shown, status, ...(url === null ? {} : { url }) }
}

// Asks the processor for the next regular invoice after a change. A preview writes nothing.
/** Previews the next regular invoice. `due` is the invoice that the change makes now; null if it makes none. */
export async function nextInvoice(
  { processor }: Pick<ChangeDeps, 'processor'>,
  { decision, situation }: { readonly decision: ChangeDecision; readonly situation: ChangeSituation },
  { update, due }: { readonly update: ItemsUpdate; readonly due: InvoicePreview | null },
  signal: AbortSignal,
): Promise<InvoicePreview | null> {
  const { billsNow, restarts, when, subscription, renewal, periodEnd } = decision
  const { state, promotionCode, promotionTerms: terms } = situation
  const promotion = { code: promotionCode, terms }
  const ask = (one: PreviewedUpdate) => askProcessor(signal, () => processor.previewUpdate(one, mode, signal))
  const mode = restarts && billsNow ? 'recurring' : 'renewal'
  const metered = meteredPrices(subscription)
  if (decision.free !== null) return lastInvoice(processor, { decision, update, metered }, signal)
  if (renewal !== null) {
    const codes = renewal.promotionCodes.filter((code) => code !== promotionCode)
    const code = codeAfter(promotion, state, due)
    const promotionCodes = code === null ? codes : renewal.promotionCodes
    const then = { ...renewal, usedUp: usedUpBy(due, state), promotionCodes }
    return askProcessor(signal, () => processor.previewScheduled(then, mode, signal))
  }
  if (when === 'now') return ask({ ...update, promotion: discountsThen(promotion, state, { at: null, due }) })
  if (!restarts || subscription.status === 'trialing') return ask(inArrears(decision, update))
  const begun = await ask({ ...update, promotion: discountsThen(promotion, state, { at: periodEnd, due: null }) })
  if (begun === null) return null
  const next = begunAt(begun, decision)
  if (metered.size === 0) return next
  const usage = { ...update, items: [], proration: 'none', promotion: discountsOfUsage(promotion, state) } as const
  return withUsage(next, await ask(usage), metered)
}

/** Previews the last invoice of a subscription that a free price replaces: the usage of its period. null if there is none to bill. */
async function lastInvoice(
  processor: ChangeDeps['processor'],
  {
    decision: { when, free, releases },
    update,
    metered,
  }: {
    readonly decision: ChangeDecision
    readonly update: ItemsUpdate
    readonly metered: ReadonlySet<ProcessorId | null>
  },
  signal: AbortSignal,
): Promise<InvoicePreview | null> {
  if (when === 'now' || metered.size === 0) return null
  // The processor does not preview the cancellation of a subscription that a schedule manages.
  const isFinal = free?.endsAnyway !== true && releases === null
  const found = await askProcessor(signal, () =>
    processor.previewUpdate({ ...update, proration: 'none' }, isFinal ? 'final' : 'renewal', signal),
  )
  return isFinal || free?.endsAnyway === true ? found : usageOnly(found, metered)
}
