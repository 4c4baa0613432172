// Detects an unfinished push. While a push is unfinished, differences at the processor may come from that push. Treating them as drift
// could lead the author to undo the push's changes.
import type { Client, PushSummary } from '@ratecard/client'

/** Returns the newest push if it is unfinished (running, interrupted, or failed after some steps); null otherwise. */
export async function unfinishedPush(client: Client, signal: AbortSignal): Promise<PushSummary | null> {
  const [newest] = (await client.admin.pushes({ limit: 1, signal })).pushes
  if (newest === undefined) return null
  const { state, stepsDone } = newest
  const partly = state === 'failed' && stepsDone > 0
  return partly || state === 'interrupted' || state === 'running' || state === 'planned' ? newest : null
}

export function describeUnfinished(push: PushSummary): string {
  const steps = `${String(push.stepsDone)} of ${String(push.stepsTotal)} steps`
  return push.state === 'running' || push.state === 'planned'
    ? `Push ${push.id} is running, ${steps} done.`
    : `Push ${push.id} is ${push.state === 'failed' ? 'not complete: it failed' : 'interrupted'} after ${steps}.`
}

export function howToFinish({ id, state }: PushSummary): string {
  if (state === 'interrupted') return `Finish it: \`ratecard billing resume ${id}\`, or push again.`
  return state === 'failed'
    ? `See why: \`ratecard billing pushes ${id}\`. Correct it, and push again.`
    : `Follow it: \`ratecard billing pushes ${id} --follow\`.`
}
