// Reads pushes and their steps from the journal, no matter which replica ran them.
import { ServiceError } from '../base/errors/service-error.ts'
import { liveState as stateNow, pushLease } from '../acts/lease.ts'
import type { Step } from '../catalog/steps.ts'
import { yieldToRequests } from '../base/event-loop.ts'
import type { SyncDeps } from './deps.ts'
import type { PushStep } from '../api/push/pushes.ts'
import type { PushHead, PushRecord, PushState, StepRecord } from '../store/records/journal.ts'

type JournalDeps = Pick<SyncDeps, 'store'>

export async function findPush(deps: JournalDeps, id: string): Promise<PushRecord> {
  return requirePush(id, await deps.store.pushes.find(id))
}

export async function findPushHead(deps: JournalDeps, id: string): Promise<PushHead> {
  return requirePush(id, await deps.store.pushes.head(id))
}

function requirePush<T extends PushHead>(id: string, push: T | null): T {
  if (push !== null) return push
  throw new ServiceError('push_not_found', `There is no push "${id}".`, {
    hint: 'List them with `ratecard billing pushes`.',
  })
}

/**
 * Returns the present state of a push. If the process that ran the push has died, the stored state `running` means `interrupted`, and the
 * stored state `planned` means `abandoned`. In an abandoned push some steps may be missing from the journal, and no step was sent.
 */
export async function liveState(
  { store }: JournalDeps,
  { id, state }: Pick<PushHead, 'id' | 'state'>,
): Promise<PushState> {
  const again = async () => (await store.pushes.head(id))?.state ?? null
  if (state !== 'planned') return stateNow(store, state, pushLease, again)
  if (await store.held(pushLease)) return state
  const now = await again()
  return now === null || now === 'planned' ? 'abandoned' : now
}

/** Converts step records to views. Yields to the event loop between two of them, because a large push has thousands. */
export async function stepViews(records: readonly StepRecord[]): Promise<PushStep[]> {
  const views: PushStep[] = []
  for (const record of records) {
    views.push(stepView(record))
    await yieldToRequests()
  }
  return views
}

export function stepView(record: StepRecord): PushStep {
  const step = JSON.parse(record.step) as Step
  return {
    index: record.index,
    op: step.op,
    kind: step.kind,
    configId: step.configId,
    state: record.state,
    attempts: record.attempts,
    processorId: record.processorId,
    requestId: record.requestId,
    error: record.error === null ? null : (JSON.parse(record.error) as Record<string, unknown>),
  }
}
