// Composition: the operations of the service over one store and one processor. No decision is taken here.
import { createIdempotency } from './access/idempotency.ts'
import { createServiceKeys } from './access/service-keys.ts'
import type { ServiceKeys } from './access/service-keys.ts'
import type { Clock } from './clock.ts'
import { validateConfig } from './config/validate.ts'
import { examine } from './doctor.ts'
import { createIds } from './ids.ts'
import { createLookups } from './lookup/lookups.ts'
import type { Lookups } from './lookup/lookups.ts'
import type { Processor } from './processor/processor.ts'
import type { PushReport, Readiness, Service } from './service.ts'
import type { Settings } from './settings.ts'
import type { PushRecord, Store } from './store/store.ts'
import { pushLease } from './sync/deps.ts'
import type { SyncDeps } from './sync/deps.ts'
import { findDrift } from './sync/drift.ts'
import { PushBus, followPush } from './sync/events.ts'
import { pullConfig } from './sync/pull.ts'
import { pushConfig } from './sync/push.ts'
import { findPush, liveState, stepView } from './sync/pushes.ts'
import { resetConfig } from './sync/reset.ts'
import { resumePush } from './sync/resume.ts'
import { rollbackConfig } from './sync/rollback.ts'

export interface ServiceOptions {
  readonly settings: Pick<Settings, 'requireVersionBump' | 'workers'>
  readonly store: Store
  readonly processor: Processor
  /** For `doctor`: `Stripe`, or where the sandbox listens. */
  readonly processorName: string
  readonly clock: Clock
}

/** The service and what only its owner may use of it. */
export interface ComposedService extends Service {
  readonly ensureFirstKey: ServiceKeys['ensureFirstKey']
  readonly lookups: Lookups
}

export function createService(options: ServiceOptions): ComposedService {
  const { store, processor, clock } = options
  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()
  const bus = new PushBus()
  const lookups = createLookups({ store, clock })
  const keys = createServiceKeys({ store, clock })
  const deps: SyncDeps = {
    store,
    processor,
    clock,
    newId: createIds(clock),
    requireVersionBump: options.settings.requireVersionBump,
    shutdown: stopping.signal,
    onProgress: bus.notify,
    onApplied: () => {
      lookups.invalidate()
    },
  }
  /** Work that a graceful stop waits for. */
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    )
    running.add(settled)
    void settled.then(() => running.delete(settled))
    return work
  }

  return {
    validate: (document) => {
      const { valid, errors, warnings } = validateConfig(document)
      return Promise.resolve({ valid, errors, warnings })
    },
    push: (document, request) => tracked(pushConfig(deps, document, request)),
    rollback: (revision, request) => tracked(rollbackConfig(deps, revision, request)),
    reset: (request) => tracked(resetConfig(deps, request)),
    resumePush: (id) => tracked(resumePush(deps, id)),
    listPushes: async (page) => {
      const { items, total } = await store.pushes.list(page)
      return { items: await Promise.all(items.map((push) => summaryOf(deps, push))), total }
    },
    findPush: (id) => reportOf(deps, id),
    pushEvents: (id, signal) => followPush(deps, bus, id, AbortSignal.any([signal, stopping.signal])),
    pull: () => pullConfig(deps),
    drift: () => findDrift(deps),
    ...lookups,
    ...keys,
    idempotent: createIdempotency({ store, clock, busy: () => store.held(pushLease) }),
    readiness: () => readinessOf(options, stopping.signal),
    doctor: () => examine({ store, processor, processorName: options.processorName, signal: stopping.signal }),
    lookups,
    close: async () => {
      stopping.abort()
      lookups.stop()
      await Promise.all(running)
    },
  }
}

async function summaryOf(deps: SyncDeps, push: PushRecord) {
  const { id, kind, version, revision, author, message, createdAt, updatedAt, finishedAt, stepsTotal, stepsDone } = push
  const state = await liveState(deps, push)
  return {
    id,
    kind,
    state,
    version,
    revision,
    author,
    message,
    createdAt,
    updatedAt,
    finishedAt,
    stepsTotal,
    stepsDone,
  }
}

async function reportOf(deps: SyncDeps, id: string): Promise<PushReport> {
  const push = await findPush(deps, id)
  return {
    ...(await summaryOf(deps, push)),
    steps: (await deps.store.pushes.steps(id)).map(stepView),
    error: push.error === null ? null : (JSON.parse(push.error) as Record<string, unknown>),
  }
}

const readinessTimeoutMs = 2000

async function readinessOf({ store, processor, settings }: ServiceOptions, stopping: AbortSignal): Promise<Readiness> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(readinessTimeoutMs)])
  const check = async (work: () => Promise<string>) => {
    try {
      return { ok: true, detail: await work() }
    } catch {
      // The cause may name hosts; the log of the operation that fails has it.
      return { ok: false, detail: 'unavailable' }
    }
  }
  const [storeCheck, processorCheck] = await Promise.all([
    check(async () => {
      await store.ping()
      return store.engine
    }),
    check(async () => {
      await processor.account(signal)
      return 'reachable'
    }),
  ])
  const workers = { ok: true, detail: settings.workers }
  return {
    ready: !stopping.aborted && storeCheck.ok && processorCheck.ok,
    checks: { store: storeCheck, processor: processorCheck, workers },
  }
}
