// Composes the service's operations from one store and one processor. Contains no business logic.
import { createIdempotency } from '../request-idempotency.ts'
import { createServiceKeys } from '../auth/service-keys.ts'
import type { ServiceKeys } from '../auth/service-keys.ts'
import { createSessions } from '../auth/sessions.ts'
import { createCheckouts } from '../checkout/checkout.ts'
import type { Clock } from '../clock.ts'
import { createChanges } from '../dashboard-backend/changes.ts'
import { createSignIn } from '../dashboard-backend/sign-in.ts'
import { examine } from '../health/doctor.ts'
import { createEnterprise } from '../enterprise/enterprise.ts'
import { resumedMove } from '../enterprise/move-template.ts'
import { createDocuments } from './document-thread.ts'
import { createIds } from './ids.ts'
import { createMirrorFeed } from './mirror-feed.ts'
import type { MirrorFeed, MirrorSettings } from './mirror-feed.ts'
import { createLookups } from '../lookup/lookups.ts'
import type { Lookups } from '../lookup/lookups.ts'
import { CancelBoard } from '../journal/cancel-board.ts'
import { mirrorOff } from '../mirror/mirror.ts'
import { createMirrorReads } from '../mirror/reads/operations.ts'
import { askProcessor } from '../processor/failures.ts'
import type { Processor } from '../processor/processor.ts'
import { createReadiness } from '../health/readiness.ts'
import type { PushReport, Service } from '../service/service.ts'
import { defaultPastDueGraceDays, defaultSessionTrialDays } from '../settings.ts'
import type { Settings } from '../settings.ts'
import { byOf } from '../store/records/actor.ts'
import type { PushHead, Store } from '../store/store.ts'
import { createMigrations, resumedMigration } from '../price-migrations/start-migration.ts'
import { createSubscribers } from '../subscriptions/subscribers.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import { createJobs } from '../jobs/jobs.ts'
import type { StepRunners } from '../jobs/jobs.ts'
import { createPriceBooks } from '../item-swaps/price-book.ts'
import { createWaitingJobs } from '../jobs/waiting-jobs.ts'
import type { WaitingJobs } from '../jobs/waiting-jobs.ts'
import { bindAccount, createBoundAccount } from '../sync/account.ts'
import { cancelPush } from '../sync/push/cancel.ts'
import { pushLease } from '../journal/leases.ts'
import type { SyncDeps } from '../sync/deps.ts'
import { findDrift } from '../sync/drift.ts'
import { PushBus, followPush } from '../sync/push/push-events.ts'
import { pullConfig } from '../sync/pull.ts'
import { checkDocument } from '../sync/push/document-jobs.ts'
import { pushConfig } from '../sync/push/push.ts'
import { keepWritten } from '../sync/push/written-form.ts'
import { findPushHead, liveState, stepViews } from '../sync/push/pushes.ts'
import { resetConfig } from '../sync/reset.ts'
import { resumePush } from '../sync/push/resume.ts'
import { endOverlaps, rotateWebhook } from '../sync/webhooks/rotate.ts'
import { rollbackConfig } from '../sync/rollback.ts'
import { createCustomers, findTenant } from '../tenants/customer-link.ts'
import { createTenants } from '../tenants/tenants.ts'
import { createWorkers, operationsOf } from '../workers/runtime/workers.ts'
import type { Workers } from '../workers/runtime/workers.ts'
import type { WorkersOptions } from '../workers/runtime/workers-options.ts'

export interface ServiceOptions {
  readonly settings: Pick<Settings, 'requireVersionBump' | 'workers'> &
    Partial<
      Pick<Settings, 'impactThreshold' | 'allowedRedirects' | 'publicUrl' | 'sessionTrialDays' | 'pastDueGraceDays'>
    >
  readonly store: Store
  readonly processor: Processor
  /** Name of the processor in `doctor`: `Stripe`, or the address of the sandbox. */
  readonly processorName: string
  readonly clock: Clock
  /** Settings of the mirror; absent if the mirror is off. */
  readonly mirror?: MirrorSettings
  /** Options of the worker host; absent if this replica hosts no workers. */
  readonly workers?: Partial<Omit<WorkersOptions, 'store' | 'clock' | 'newId' | 'keys'>>
}

/** The service, plus members that only the process that runs it may use. */
export interface ComposedService extends Service {
  readonly ensureFirstKey: ServiceKeys['ensureFirstKey']
  readonly lookups: Lookups
  readonly waitingJobs: WaitingJobs
  readonly workers: Workers
  /** The mirror, and the feed that keeps it up to date once started; null if the mirror is off. */
  readonly feed: MirrorFeed | null
  /** Stops background work between two steps. Resolves when the work, including a write in flight, has ended. */
  endWork(): Promise<void>
}

export function createService(options: ServiceOptions): ComposedService {
  const { store, clock } = options
  const priceBook = createPriceBooks(store)
  const feed = options.mirror === undefined ? null : createMirrorFeed({ ...options, priceBook }, options.mirror)
  const processor = feed?.processor ?? options.processor
  const mirror = feed?.mirror ?? mirrorOff
  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()
  const bus = new PushBus()
  const documents = createDocuments()
  const lookups = createLookups({ store, clock, documents })
  const keys = createServiceKeys({ store, clock })
  const deps: SyncDeps = {
    store,
    processor,
    mirror,
    clock,
    documents,
    newId: createIds(clock),
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
    clock,
    newId: deps.newId,
    keys: keys.ofWorkers,
  })
  /** Registers a promise of work that a graceful shutdown waits for, and returns it. */
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    )
    running.add(settled)
    void settled.then(() => running.delete(settled))
    return work
  }

  const swaps = swapOperations(deps, priceBook, tracked)
  const reads = createMirrorReads({ store, mirror, priceBook })
  const hosted = operationsOf(workers)
  const endWork = async () => {
    stopping.abort()
    swaps.waitingJobs.stop()
    await Promise.all([...running, feed?.feeder.stop()])
  }
  return {
    validate: async (document) => {
      const { valid, errors, warnings } = await checkDocument(deps, document)
      return { valid, errors, warnings }
    },
    push: (document, request) => tracked(pushConfig(deps, document, request)),
    keepWritten: (document) => keepWritten(deps, document),
    rollback: (revision, request) => tracked(rollbackConfig(deps, revision, request)),
    reset: (request) => tracked(resetConfig(deps, request)),
    resumePush: (id, request) => tracked(resumePush(deps, id, request)),
    cancelPush: async (id) => summaryOf(deps, await cancelPush(deps, id)),
    listPushes: async (page) => {
      const { items, total } = await store.pushes.list(page)
      return { items: await Promise.all(items.map((push) => summaryOf(deps, push))), total }
    },
    findPush: (id) => reportOf(deps, id),
    pushEvents: (id, signal) => followPush(deps, bus, id, AbortSignal.any([signal, stopping.signal])),
    pull: () => pullConfig(deps),
    processorEvents: async (query) => {
      const { events, last } = await askProcessor(stopping.signal, () => processor.events(query, stopping.signal))
      return { events, last }
    },
    drift: () => findDrift(deps),
    rotateWebhook: (id, request) => tracked(rotateWebhook(deps, id, request)),
    ...lookups,
    ...keys,
    ...createSignIn({ store, clock, validKey: (id) => keys.valid(id) }),
    ...createChanges({ store }),
    ...tenantOperations(options, { ...deps, priceBook }, lookups, tracked),
    ...reads,
    receiveProcessorEvent: feed?.receiveProcessorEvent ?? (() => mirrorOff.require()),
    ...swaps.operations,
    ...hosted,
    idempotent: createIdempotency({ store, clock, busy: () => store.held(pushLease) }),
    readiness: createReadiness({
      store,
      processor: { account: (signal) => bindAccount({ store, processor }, signal, 'look') },
      workers,
      clock,
      stopping: stopping.signal,
    }),
    doctor: () =>
      examine({
        operations: { ...reads, drift: () => findDrift(deps), ...hosted },
        store,
        processor,
        processorName: options.processorName,
        workers,
        priceBook,
        mirror,
        clock,
        delivered: feed?.delivered ?? (() => Promise.resolve(true)),
        signal: stopping.signal,
      }),
    lookups,
    waitingJobs: swaps.waitingJobs,
    workers,
    feed,
    endWork,
    close: async () => {
      lookups.stop()
      await Promise.all([endWork(), workers.close(workersCloseMs)])
      await documents.close()
    },
  }
}

const workerLogsRetentionMs = 7 * 24 * 60 * 60_000
/** Time (ms) that running worker invocations get when the service closes without a drain. */
const workersCloseMs = 1_000

type TrackWork = <T>(work: Promise<T>) => Promise<T>

/** Creates the operations on tenants, their sessions, subscriptions and purchases. */
function tenantOperations(
  { settings, store, clock }: ServiceOptions,
  deps: SyncDeps & Pick<SwapDeps, 'priceBook'>,
  lookups: Lookups,
  tracked: TrackWork,
) {
  const { processor, mirror, newId, shutdown, priceBook } = deps
  const account = createBoundAccount(deps)
  const shared = { store, processor, mirror, clock, newId, shutdown, account, priceBook, applied: lookups.applied }
  const customers = createCustomers(shared)
  const tenants = createTenants(shared)
  const subscribers = createSubscribers({
    ...shared,
    ...customers,
    findTenant: (id) => findTenant(shared, id),
    pastDueGraceMs: (settings.pastDueGraceDays ?? defaultPastDueGraceDays) * 24 * 60 * 60_000,
  })
  const checkouts = createCheckouts({
    ...shared,
    customers,
    allowedRedirects: settings.allowedRedirects ?? [],
    publicUrl: settings.publicUrl ?? null,
    sessionTrialDays: settings.sessionTrialDays ?? defaultSessionTrialDays,
  })
  return {
    ...tenants,
    ...createSessions({ store, clock, newId }),
    ...subscribers,
    updateTenant: (...args) => tracked(tenants.updateTenant(...args)),
    removeTenant: (...args) => tracked(tenants.removeTenant(...args)),
    cancelSubscription: (...args) => tracked(tenants.cancelSubscription(...args)),
    tenantEntitlements: (...args) => tracked(subscribers.tenantEntitlements(...args)),
    sessionEntitlements: (...args) => tracked(subscribers.sessionEntitlements(...args)),
    checkFeatures: (...args) => tracked(subscribers.checkFeatures(...args)),
    checkFeature: (...args) => tracked(subscribers.checkFeature(...args)),
    recordUsage: (...args) => tracked(subscribers.recordUsage(...args)),
    sessionPrices: (...args) => tracked(checkouts.sessionPrices(...args)),
    createCheckout: (...args) => tracked(checkouts.createCheckout(...args)),
    createPortal: (...args) => tracked(checkouts.createPortal(...args)),
  } satisfies Partial<Service>
}

/** Creates the operations that change existing subscriptions: negotiated prices, price migrations, and the jobs of both. */
function swapOperations(deps: SyncDeps, priceBook: SwapDeps['priceBook'], tracked: TrackWork) {
  const { store, processor, clock, newId, shutdown } = deps
  const bound = createBoundAccount(deps)
  const swaps: SwapDeps = {
    store,
    processor,
    clock,
    newId,
    shutdown,
    priceBook,
    assertAccount: async (intent) => {
      await (intent === 'write' ? bound() : bindAccount(deps, shutdown, intent))
    },
    background: (work) => void tracked(work),
  }
  const enterprise = createEnterprise(swaps)
  const resumed: StepRunners = {
    template_move: (job) => resumedMove(swaps, job),
    migration: (job) => resumedMigration(swaps, job),
  }
  const operations = {
    ...enterprise,
    applyEnterprise: (...args) => tracked(enterprise.applyEnterprise(...args)),
    ...createMigrations(swaps),
    ...createJobs(swaps, resumed),
  } satisfies Partial<Service>
  return { operations, waitingJobs: createWaitingJobs(swaps, resumed, () => endOverlaps(deps)) }
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

async function reportOf(deps: SyncDeps, id: string): Promise<PushReport> {
  const push = await findPushHead(deps, id)
  return {
    ...(await summaryOf(deps, push)),
    steps: await stepViews(await deps.store.pushes.steps(id)),
    error: push.error === null ? null : (JSON.parse(push.error) as Record<string, unknown>),
  }
}
