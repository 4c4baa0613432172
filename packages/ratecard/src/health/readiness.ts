// Whether this replica can work. Balancers ask often, and several of them: the processor is asked for all of them at once.
import type { ProblemCode } from '../errors/codes.ts'
import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Readiness } from '../service/service.ts'
import type { Store } from '../store/store.ts'

export interface ReadinessDeps {
  readonly store: Pick<Store, 'ping' | 'engine' | 'refusal'>
  /** Fails with `account_mismatch` as well, for the key of another account. */
  readonly processor: { account(signal: AbortSignal): Promise<unknown> }
  readonly workers: { state(): Promise<{ readonly available: boolean; readonly detail: string } | null> }
  readonly clock: Clock
  readonly stopping: AbortSignal
  /** A probe waits no longer than this for the processor. */
  readonly patienceMs?: number
}

type Check = Readiness['checks']['store']

const refusals: Partial<Record<ProblemCode, string>> = {
  processor_unauthorized: 'the processor does not accept the key',
  account_mismatch: 'the key belongs to another account than this store',
}
const unavailable: Check = { ok: false, detail: 'unavailable' }
/** An answer of the processor counts this long: probes must not use up the rate that pushes need. */
const freshMs = 1_000
/** A look at the processor may wait for its turn behind a push. Silence means something only when it lasts. */
const silenceMs = 30_000

/** Looks at store, processor and workers; never rejects. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  const { workers, stopping } = deps
  const lookAtProcessor = createProcessorLook(deps)
  return async () => {
    const [storeCheck, processorCheck, runtime] = await Promise.all([
      lookAtStore(deps),
      lookAtProcessor(),
      workers.state(),
    ])
    // Prices are served without workers as well: their state is told and makes nobody turn away.
    const workersCheck = { ok: runtime?.available ?? true, detail: runtime?.detail ?? 'off' }
    return {
      ready: !stopping.aborted && storeCheck.ok && processorCheck.ok,
      checks: { store: storeCheck, processor: processorCheck, workers: workersCheck },
    }
  }
}

/** How long (ms) a refused read or write counts, e.g. a full disk, which a look at the store does not meet. */
const refusalMs = 60_000

/** The details contain codes alone: the message of an error may name hosts, and the log of the operation that failed has it. */
async function lookAtStore({ store, clock }: ReadinessDeps): Promise<Check> {
  const reached = await store.ping().then(
    () => true,
    () => false,
  )
  const refusal = store.refusal()
  if (refusal === null) return reached ? { ok: true, detail: store.engine } : unavailable
  const { kind, access, code, at } = refusal
  // A connection that was lost is over as soon as the database is reached.
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
      // Said to whoever asks: neither the key nor an account is named.
      const refusal = error instanceof ServiceError ? refusals[error.code] : undefined
      if (refusal !== undefined) return { ok: false, detail: refusal }
      const merelySilent = patience.aborted && clock.now() - reachedAt < silenceMs
      return merelySilent ? { ok: true, detail: 'slow' } : unavailable
    }
  }
  return async () => {
    if (Math.abs(clock.now() - last.at) < freshMs) return last.check
    looking ??= look().finally(() => (looking = null))
    const check = await looking
    last = { at: clock.now(), check }
    return check
  }
}
