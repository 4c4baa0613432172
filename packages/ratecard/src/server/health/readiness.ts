// Checks whether this replica is ready. Load balancers probe often and in parallel, so concurrent probes share one request to the
// processor.
import { setTimeout as wait } from 'node:timers/promises'
import type { ProblemCode } from '../../base/errors/codes.ts'
import type { Clock } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { Store } from '../../store/store.ts'
import type { Readiness } from '../../api/server/server.ts'
import { refusalMs } from '../../store/records/refusal.ts'

export interface ReadinessDeps {
  readonly store: Pick<Store, 'ping' | 'engine' | 'refusal'>
  /** Reads the processor account. Also rejects with `account_mismatch` if the key belongs to another account. */
  readonly processor: { account(signal: AbortSignal): Promise<unknown>; silentSince(): number | null }
  readonly workers: { state(): Promise<{ readonly available: boolean; readonly detail: string } | null> }
  readonly clock: Clock
  readonly stopping: AbortSignal
  /** Maximum time (ms) that a probe waits for the processor. Default: 2000. */
  readonly patienceMs?: number
}

type Check = Readiness['checks']['store']

const refusals: Partial<Record<ProblemCode, string>> = {
  processor_unauthorized: 'the processor rejects the key',
  account_mismatch: 'the key belongs to another account than this store',
}
const unavailable: Check = { ok: false, detail: 'unavailable' }
/** Without its store the service cannot tell whether the account is the right one. One outage is reported once. */
const notChecked: Check = { ok: false, detail: 'not checked, because the store does not answer' }
/** Time (ms) that a probe waits for the store. */
const storePatienceMs = 2_000
/** Cache time (ms) of the result of a processor check. Without the cache, frequent probes would use up the rate limit that pushes need. */
const cacheTtlMs = 1_000
/**
 * Time (ms) without a response after which the processor counts as unavailable. A single timeout does not count, because the check may be
 * queued behind a push.
 */
const silenceMs = 30_000

/** Creates the function that checks store, processor and workers. It never rejects. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  const { workers, stopping } = deps
  const lookAtProcessor = createProcessorLook(deps)
  return async () => {
    const [storeCheck, reachedProcessor, runtime] = await Promise.all([
      lookAtStore(deps),
      lookAtProcessor(),
      workers.state(),
    ])
    const processorCheck = storeCheck.detail === unavailable.detail ? notChecked : reachedProcessor
    // The state of workers is reported, but `ready` does not depend on it, because prices are served without workers too.
    const workersCheck = { ok: runtime?.available ?? true, detail: runtime?.detail ?? 'off' }
    return {
      ready: !stopping.aborted && storeCheck.ok && processorCheck.ok,
      checks: { store: storeCheck, processor: processorCheck, workers: workersCheck },
    }
  }
}

/**
 * Checks the store. The result contains only the code of an error and not its message, because a message may contain host names. The
 * message is in the log.
 */
async function lookAtStore({ store, clock }: ReadinessDeps): Promise<Check> {
  const reached = await Promise.race([
    store.ping().then(
      () => true,
      () => false,
    ),
    wait(storePatienceMs, false, { ref: false }),
  ])
  const refusal = store.refusal()
  if (refusal === null) return reached ? { ok: true, detail: store.engine } : unavailable
  const { kind, access, code, at } = refusal
  // A stored connection error is ignored once the database is reachable again.
  const counts = kind === 'damage' || (kind === 'condition' && Math.abs(clock.now() - at) < refusalMs)
  if (reached && !counts) return { ok: true, detail: store.engine }
  if (kind === 'damage') return { ok: false, detail: `the store is damaged (${code})` }
  return { ok: false, detail: `the store refused a ${access} (${code})` }
}

function createProcessorLook({ processor, clock, stopping, patienceMs = 2_000 }: ReadinessDeps): () => Promise<Check> {
  let last = { at: -Infinity, check: unavailable }
  let reachedAt = -Infinity
  let looking: Promise<Check> | null = null

  const look = async (): Promise<Check> => {
    const patience = AbortSignal.timeout(patienceMs)
    try {
      await processor.account(AbortSignal.any([stopping, patience]))
      reachedAt = clock.now()
      return { ok: true, detail: 'reachable' }
    } catch (error) {
      // The response is public, so it contains neither the key nor an account.
      const refusal = error instanceof ServiceError ? refusals[error.code] : undefined
      if (refusal !== undefined) return { ok: false, detail: refusal }
      const since = processor.silentSince()
      if (since !== null) return { ok: false, detail: `has not answered since ${new Date(since).toISOString()}` }
      const merelySilent = patience.aborted && clock.now() - reachedAt < silenceMs
      return merelySilent ? { ok: true, detail: 'slow' } : unavailable
    }
  }
  return async () => {
    if (Math.abs(clock.now() - last.at) < cacheTtlMs) return last.check
    looking ??= look().finally(() => (looking = null))
    const check = await looking
    last = { at: clock.now(), check }
    return check
  }
}
