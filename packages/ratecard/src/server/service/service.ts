// Composes the service's operations from one store and one processor. Contains no business logic.
import { createIdempotency } from '../request-idempotency.ts'
import { createServiceKeys } from '../auth/service-keys.ts'
import { createSessions } from '../auth/sessions.ts'
import { checkouts } from '../../customers/checkout/checkout.ts'
import { redirectRules } from '../../customers/checkout/redirects.ts'
import { bind } from '../../base/bind.ts'
import type { Clocks } from '../../base/clock.ts'
import { createAccountInfo } from '../dashboard-backend/account-info.ts'
import { creditBeyondPaid } from '../../customers/credits/beyond-paid.ts'
import { createCreditHistory } from '../../customers/credits/credit-terms.ts'
import { credits } from '../../customers/credits/credits.ts'
import type { CreditDeps } from '../../customers/credits/deps.ts'
import { grantOwedCredits, nextCreditAt } from '../../customers/credits/owed-credits.ts'
import { createChanges } from '../dashboard-backend/changes.ts'
import { createSignIn } from '../dashboard-backend/sign-in.ts'
import type { DiscountDeps } from '../../customers/discounts/deps.ts'
import { discounts } from '../../customers/discounts/discounts.ts'
import { runChecks } from '../health/doctor.ts'
import { readUsageComparison } from '../../customers/subscriptions/usage/compare-usage.ts'
import { createKeptFindings } from '../health/kept-findings.ts'
import { endDueDeals } from '../../customers/enterprise/deal-ends.ts'
import { beginDue } from '../../customers/tenants/planned-free.ts'
import { enterprise } from '../../customers/enterprise/enterprise.ts'
import { pricesUnderDeal } from '../../customers/enterprise/prices-under-deal.ts'
import { resumedMove } from '../../customers/enterprise/move-template.ts'
import { createDocuments } from './document-thread.ts'
import { createIds } from './ids.ts'
import { createMirrorFeed, type MirrorSettings } from './mirror-feed.ts'
import { createGuard } from '../../acts/guard-rails/guard.ts'
import { createPolicies } from '../../acts/guard-rails/policies.ts'
import { createLookups, type Lookups } from '../../push/lookup/lookups.ts'
import { CancelBoard } from '../../acts/journal/cancel-board.ts'
import { mirrorOff } from '../../customers/mirror/mirror.ts'
import { createMirrorReads } from '../../customers/mirror/reads/operations.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { Processor } from '../../processor/processor.ts'
import { createReadiness } from '../health/readiness.ts'
import {
  defaultPastDueGraceDays,
  defaultSessionMaxQuantity,
  defaultSessionTrialDays,
  type Settings,
} from '../settings.ts'
import type { ChangeDeps } from '../../customers/subscription-changes/deps.ts'
import type { Principal } from '../../api/customers/sessions.ts'
import type { GivenDocument } from '../../api/push/config.ts'
import { byOf } from '../../store/records/actor.ts'
import type { PageQuery } from '../../store/records/page.ts'
import type { Store } from '../../store/store.ts'
import { migrations, resumedMigration } from '../../customers/price-migrations/start-migration.ts'
import { refuseTakeBack, startTakeBack } from '../../customers/price-migrations/take-back.ts'
import { createSubscribers } from '../../customers/subscriptions/subscribers.ts'
import type { SubscriberDeps } from '../../customers/subscriptions/deps.ts'
import { resendHeldUsage } from '../../customers/subscriptions/usage/held-usage.ts'
import { readEndedFree, readSubscription } from '../../customers/subscriptions/subscriptions.ts'
import { dealDifferences } from '../../customers/enterprise/deal-differences.ts'
import { createFairShare } from '../../customers/fair-share.ts'
import { putBackUndone, putBackDue } from '../../customers/subscription-changes/put-back.ts'
import { subscriptionChanges } from '../../customers/subscription-changes/subscription-changes.ts'
import { customerActs } from '../../api/server/limits.ts'
import type { SwapDeps } from '../../customers/item-swaps/deps.ts'
import { createJobs, type StepRunners } from '../../acts/jobs/jobs.ts'
import { settleOwn } from '../../customers/item-swaps/late-swaps.ts'
import { createPriceBooks } from '../../customers/item-swaps/price-book.ts'
import { createWaitingJobs } from '../../acts/jobs/waiting-jobs.ts'
import { bindAccount, createBoundAccount } from '../../push/account.ts'
import { cancelPush } from '../../push/cancel.ts'
import { pushLease } from '../../acts/lease.ts'
import type { SyncDeps } from '../../push/deps.ts'
import { findDrift } from '../../push/drift.ts'
import { PushBus, followPush } from '../../push/push-events.ts'
import { pullConfig } from '../../push/pull.ts'
import { checkDocument } from '../../push/document-jobs.ts'
import { pushConfig } from '../../push/push.ts'
import { keepWritten } from '../../push/written-form.ts'
import { findPushHead, liveState, stepViews } from '../../push/pushes.ts'
import { resetConfig } from '../../push/reset.ts'
import { resumePush } from '../../push/resume.ts'
import { endOverlaps, rotateWebhook } from '../../push/webhooks/rotate.ts'
import { rollbackConfig } from '../../push/rollback.ts'
import { createCustomers, findTenant } from '../../customers/tenants/customer-link.ts'
import { tenants } from '../../customers/tenants/tenants.ts'
import { createWorkers } from '../../workers/runtime/workers.ts'
import type { WorkersOptions } from '../../workers/runtime/workers-options.ts'
import type { PushReport } from '../../api/push/pushes.ts'
import type { PushHead } from '../../store/records/journal.ts'

export interface ServiceOptions extends Clocks {
  readonly settings: Pick<Settings, 'requireVersionBump' | 'workers'> &
    Partial<
      Pick<
        Settings,
        | 'impactThreshold'
        | 'environment'
        | 'allowedRedirects'
        | 'publicUrl'
        | 'sessionTrialDays'
        | 'sessionMaxQuantity'
        | 'customersMay'
        | 'pastDueGraceDays'
      >
    >
  readonly store: Store
  readonly processor: Processor
  /** Name of the processor in `doctor`: `Stripe`, or the address of the sandbox. */
  readonly processorName: string
  /** Mode of the processor account in the dashboard. */
  readonly processorMode: 'sandbox' | 'test' | 'live'
  /** Settings of the mirror; absent if the mirror is off. */
  readonly mirror?: MirrorSettings
  /** Options of the worker host; absent if this replica hosts no workers. */
  readonly workers?: Partial<Omit<WorkersOptions, 'store' | 'clock' | 'newId' | 'keys'>>
}

/** Everything that the service does, and members that only the process that runs it uses: `lookups`, `workers`, `feed`, `endWork` … */
export type Service = ReturnType<typeof createService>

export function createService(options: ServiceOptions) {
  const { store, clock, wallClock = clock } = options
  const priceBook = createPriceBooks(store)
  const feed =
    options.mirror === undefined
      ? null
      : createMirrorFeed(
          {
            ...options,
            priceBook,
            applied: () => lookups.applied(),
            onCreditsDue: () => {
              swaps.waitingJobs.wake()
            },
          },
          options.mirror,
        )
  const processor = feed?.processor ?? options.processor
  const mirror = feed?.mirror ?? mirrorOff
  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()
  const bus = new PushBus()
  const documents = createDocuments()
  const lookups = createLookups({ store, clock: wallClock, documents })
  const { ofWorkers, ...keys } = createServiceKeys({ store, clock: wallClock })
  const guarded = { store, clock, environment: options.settings.environment ?? null }
  const deps: SyncDeps = {
    store,
    guard: createGuard(guarded),
    processor,
    mirror,
    clock,
    documents,
    newId: createIds(wallClock),
    requireVersionBump: options.settings.requireVersionBump,
    impactThreshold: options.settings.impactThreshold ?? null,
    shutdown: stopping.signal,
    cancelled: new CancelBoard(),
    onProgress: bus.notify,
    onApplied: () => {
      lookups.invalidate()
    },
  }
  const workers = createWorkers({
    runtime: null,
    publicUrl: null,
    domain: null,
    logRetentionMs: workerLogsRetentionMs,
    report: () => undefined,
    ...options.workers,
    store,
    clock: wallClock,
    newId: deps.newId,
    keys: ofWorkers,
  })
  /** Returns the operations, so that a graceful shutdown waits for what each of them has begun. */
  const tracked = <Operations extends object>(operations: Operations): Operations =>
    Object.fromEntries(
      Object.entries(operations).map(([name, run]: [string, (...args: unknown[]) => unknown]) => [
        name,
        (...args: unknown[]) => {
          const work = run(...args)
          if (work instanceof Promise) background(work)
          return work
        },
      ]),
    ) as Operations
  const background = (work: Promise<unknown>) => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    )
    running.add(settled)
    void settled.then(() => running.delete(settled))
  }

  const { operations: ofTenants, ...reading } = tenantOperations(options, { ...deps, wallClock, priceBook }, lookups)
  const { createCheckout, createPortal, recordUsage, unbilledUsage } = ofTenants
  const shared = createFairShare(wallClock)
  const swaps = swapOperations(
    { ...deps, wallClock, applied: lookups.fullConfig, background },
    priceBook,
    reading.creditDeps,
  )
  const reads = createMirrorReads({ store, mirror, priceBook })
  const { start: _start, state: _state, close: _close, ...hosted } = workers
  const endWork = async () => {
    stopping.abort()
    swaps.waitingJobs.stop()
    await Promise.all([...running, feed?.feeder.stop()])
  }
  /**
   * Does all that is due by billing time, e.g. after its clock was moved: reads the processor's changes, stores ended days, ends deals,
   * continues jobs. Returns the next time (epoch milliseconds) at which something ends. Failures are passed to `report`.
   */
  const catchUp = async (report: (error: unknown) => void): Promise<number> => {
    await feed?.feeder.catchUp()
    await swaps.waitingJobs.continueDue().catch(report)
    swaps.waitingJobs.wake()
    // What the work wrote is marked as stale in the copy.
    if ((await store.mirror.oldestStale()) !== null) await feed?.feeder.catchUp()
    const now = clock.now()
    const ends = await Promise.all([store.tenants.nextDealEnd(now), store.localSubscriptions.nextPlanned(now)])
    return Math.min(startOfNextDay(now), ...ends.filter((end) => end !== null))
  }
  const operations = {
    ...bind(deps, {
      push: pushConfig,
      rollback: rollbackConfig,
      reset: resetConfig,
      resumePush,
      keepWritten,
      pull: pullConfig,
      rotateWebhook,
      findPush: reportOf,
      listPushes,
    }),
    validate: async (document: GivenDocument) => {
      const { valid, errors, warnings } = await checkDocument(deps, document)
      return { valid, errors, warnings }
    },
    /**
     * Stops a running push between two steps. The push is then `interrupted` and can be resumed. Throws `push_not_running` if the push is
     * not running.
     */
    cancelPush: async (id: string) => summaryOf(deps, await cancelPush(deps, id)),
    /** Yields the current state of the push, then live events until the push ends or `signal` aborts. */
    pushEvents: (id: string, signal: AbortSignal) =>
      followPush(deps, bus, id, AbortSignal.any([signal, stopping.signal])),
    /** Returns processor events after the event id `after`, oldest first; see `Processor.events`. */
    processorEvents: async (query: Parameters<Processor['events']>[0]) => {
      const { events, last } = await askProcessor(stopping.signal, () => processor.events(query, stopping.signal))
      return { events, last }
    },
    ...createPolicies(guarded),
    ...createSignIn({ store, clock: wallClock, validKey: (id) => keys.valid(id) }),
    ...createChanges({ store }),
    /** See `Processor.silentSince`. */
    processorSilentSince: () => processor.silentSince(),
    ...createAccountInfo({
      clock,
      store,
      mode: options.processorMode,
      environment: guarded.environment,
      readAccount: () => processor.account(stopping.signal),
    }),
    ...ofTenants,
    ...shared({ createCheckout, createPortal, recordUsage }),
    ...shared(changeOperations(options, swaps.deps, { ...reading, lookups })),
    ...reads,
    receiveProcessorEvent: feed?.receiveProcessorEvent ?? (() => mirrorOff.require()),
    ...swaps.operations,
    idempotent: createIdempotency({ store, clock: wallClock, busy: () => store.held(pushLease) }),
    readiness: createReadiness({
      store,
      processor: {
        account: (signal) => bindAccount({ store, processor }, signal, 'look'),
        silentSince: () => processor.silentSince(),
      },
      workers,
      clock: wallClock,
      stopping: stopping.signal,
    }),
    ...createKeptFindings({
      store,
      clock,
      drift: () => findDrift(deps),
      examine: () =>
        runChecks({
          operations: { ...reads, unbilledUsage, drift: () => findDrift(deps), ...hosted },
          store,
          processor,
          processorName: options.processorName,
          environment: guarded.environment,
          dealDifferences: () => dealDifferences({ store, priceBook }),
          creditBeyondPaid: () =>
            creditBeyondPaid({ store, priceBook, applied: lookups.applied }, createCreditHistory(store.versions)),
          workers,
          priceBook,
          mirror,
          clock,
          usageCompared: () => readUsageComparison(store),
          delivered: feed?.delivered ?? (() => Promise.resolve(true)),
          signal: stopping.signal,
        }),
    }),
  }
  return {
    ...lookups,
    ...keys,
    ...hosted,
    ...tracked({ ...operations, catchUp }),
    lookups,
    waitingJobs: swaps.waitingJobs,
    workers,
    /** The mirror's feed, which keeps it up to date once started; null if the mirror is off. */
    feed,
    /** Stops background work between two steps. Resolves when all work has ended, including a write in flight. */
    endWork,
    close: async () => {
      lookups.stop()
      await Promise.all([endWork(), workers.close(workersCloseMs)])
      await documents.close()
    },
  }
}

const dayMs = 24 * 60 * 60_000
const startOfNextDay = (now: number) => (Math.floor(now / dayMs) + 1) * dayMs
const workerLogsRetentionMs = 7 * 24 * 60 * 60_000
/** Time (ms) that running worker invocations get to finish when the service closes without a drain. */
const workersCloseMs = 1_000

/** Creates the operations on tenants, their sessions, subscriptions and purchases. */
function tenantOperations(
  { settings, store, processorMode }: ServiceOptions,
  deps: SyncDeps & Pick<SwapDeps, 'priceBook' | 'wallClock'>,
  lookups: Lookups,
) {
  const { processor, mirror, clock, wallClock, newId, shutdown, priceBook } = deps
  const account = createBoundAccount(deps)
  const shared = {
    store,
    processor,
    mirror,
    clock,
    wallClock,
    newId,
    shutdown,
    account,
    priceBook,
    applied: lookups.applied,
  }
  const customers = createCustomers(shared)
  const reading: SubscriberDeps = { ...shared, ...customers, findTenant: (id) => findTenant(shared, id) }
  const pastDueGraceMs = (settings.pastDueGraceDays ?? defaultPastDueGraceDays) * 24 * 60 * 60_000
  const subscribers = createSubscribers({ ...reading, pastDueGraceMs })
  const selling = {
    ...shared,
    customers,
    redirects: redirectRules({
      allowedRedirects: settings.allowedRedirects ?? null,
      publicUrl: settings.publicUrl ?? null,
      live: processorMode === 'live',
    }),
    sessionTrialDays: settings.sessionTrialDays ?? defaultSessionTrialDays,
    sessionMaxQuantity: settings.sessionMaxQuantity ?? defaultSessionMaxQuantity,
  }
  const operations = {
    ...bind(shared, tenants),
    ...bind(selling, checkouts),
    ...createSessions({ store, clock: wallClock, newId }),
    ...subscribers,
  }
  return {
    operations,
    creditDeps: { ...reading, mirror, store },
    tenantOf: (principal: Principal) => customers.tenantOf(principal),
    cancelFree: operations.cancelSubscription,
    shownSubscription: async (tenantId: string, id: string) => {
      const { subscriptions } = await subscribers.tenantSubscriptions(tenantId)
      const running = subscriptions.find((one) => one.id === id)
      return running ?? (await readEndedFree(reading, tenantId, id)) ?? (await readSubscription(reading, id))
    },
  }
}

/** Creates the operations with which a tenant changes what it has. */
function changeOperations(
  { settings }: ServiceOptions,
  swaps: ReturnType<typeof swapOperations>['deps'],
  {
    lookups,
    ...tenants
  }: Pick<ReturnType<typeof tenantOperations>, 'tenantOf' | 'shownSubscription' | 'cancelFree'> & {
    readonly lookups: Lookups
  },
) {
  const deps = {
    ...swaps,
    ...tenants,
    applied: lookups.applied,
    pricesUnderDeal: (...args: Parameters<ChangeDeps['pricesUnderDeal']>) => pricesUnderDeal(swaps, ...args),
    customersMay: settings.customersMay ?? customerActs,
    sessionMaxQuantity: settings.sessionMaxQuantity ?? defaultSessionMaxQuantity,
  }
  return bind(deps, subscriptionChanges)
}

/** Creates the operations that change existing subscriptions: negotiated prices, price migrations, and the jobs of both. */
function swapOperations(
  deps: SyncDeps & Pick<DiscountDeps, 'applied'> & Pick<SwapDeps, 'background' | 'wallClock'>,
  priceBook: SwapDeps['priceBook'],
  creditDeps: Omit<CreditDeps, 'assertAccount' | 'processor'>,
) {
  const { store, processor, clock, wallClock, guard, newId, shutdown } = deps
  const bound = createBoundAccount(deps)
  const swaps = {
    store,
    processor,
    clock,
    wallClock,
    guard,
    newId,
    shutdown,
    priceBook,
    assertAccount: async (intent: 'write' | 'look') => {
      await (intent === 'write' ? bound() : bindAccount(deps, shutdown, intent))
    },
    settleOwn: (...late: Parameters<SwapDeps['settleOwn']>): Promise<boolean> => settleOwn(swaps, ...late),
    background: deps.background,
  } satisfies SwapDeps
  const ofDeals = bind(swaps, enterprise)
  const credit: CreditDeps = { ...creditDeps, processor, assertAccount: swaps.assertAccount }
  const history = createCreditHistory(store.versions)
  const resumed: StepRunners = {
    template_move: (job) => resumedMove(swaps, job),
    migration: (job) => resumedMigration(swaps, job),
  }
  const waitingJobs = createWaitingJobs(swaps, resumed, [
    { continueDue: () => endOverlaps(deps) },
    { continueDue: (report) => endDueDeals(swaps, report), nextAt: () => store.tenants.nextDealEnd(clock.now()) },
    {
      continueDue: (report) => beginDue(swaps, report),
      nextAt: () => store.localSubscriptions.nextPlanned(clock.now()),
    },
    { continueDue: (report) => putBackDue(swaps, report) },
    { continueDue: (report) => putBackUndone(swaps, report) },
    { continueDue: (report) => resendHeldUsage({ ...swaps, applied: creditDeps.applied }, report) },
    { continueDue: (report) => grantOwedCredits(credit, history, report), nextAt: () => nextCreditAt(credit) },
  ])
  const operations = {
    ...ofDeals,
    applyEnterprise: (...args: Parameters<typeof ofDeals.applyEnterprise>) =>
      ofDeals.applyEnterprise(...args).finally(() => waitingJobs.wake()),
    ...bind({ ...swaps, applied: deps.applied }, discounts),
    ...bind(credit, credits),
    ...bind(swaps, migrations),
    ...createJobs(swaps, resumed, { refuse: refuseTakeBack, start: (...args) => startTakeBack(swaps, ...args) }),
  }
  return { deps: swaps, operations, waitingJobs }
}

async function summaryOf(deps: SyncDeps, push: PushHead) {
  const { id, kind, version, revision, author, message, createdAt, updatedAt, finishedAt, stepsTotal, stepsDone } = push
  const state = await liveState(deps, push)
  return {
    id,
    kind,
    state,
    version,
    revision,
    author,
    by: byOf(push),
    message,
    createdAt,
    updatedAt,
    finishedAt,
    stepsTotal,
    stepsDone,
  }
}

async function listPushes(deps: SyncDeps, page: PageQuery) {
  const { items, total } = await deps.store.pushes.list(page)
  return { items: await Promise.all(items.map((push) => summaryOf(deps, push))), total }
}

async function reportOf(deps: SyncDeps, id: string): Promise<PushReport> {
  const push = await findPushHead(deps, id)
  return {
    ...(await summaryOf(deps, push)),
    steps: await stepViews(await deps.store.pushes.steps(id)),
    error: push.error === null ? null : (JSON.parse(push.error) as Record<string, unknown>),
  }
}
