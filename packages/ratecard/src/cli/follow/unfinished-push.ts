// While the newest push is not finished, what differs at the processor is its own half-done work as well as somebody's edits: advice
// about edits would have the author's change undone.
import type { Client, PushSummary } from '@ratecard/client'

/** The newest push when it has not brought the processor to what it says; null when it has. */
export async function unfinishedPush(client: Client, signal: AbortSignal): Promise<PushSummary | null> {
  const [newest] = (await client.admin.pushes({ limit: 1, signal })).pushes
  if (newest === undefined) return null
  const { state, stepsDone } = newest
  const partly = state === 'failed' && stepsDone > 0
  return partly || state === 'interrupted' || state === 'running' || state === 'planned' ? newest : null
}

export function tellUnfinished(push: PushSummary): string {
  const steps = `${String(push.stepsDone)} of ${String(push.stepsTotal)} steps`
  return push.state === 'running' || push.state === 'planned'
    ? `Push ${push.id} is running, ${steps} done.`
    : `Push ${push.id} is ${push.state === 'failed' ? 'not complete: it failed' : 'interrupted'} after ${steps}.`
}

export function howToFinish({ id, state }: PushSummary): string {
  if (state === 'interrupted') return `Finish it: \`ratecard billing resume ${id}\`, or push again.`
  return state === 'failed'
    ? `See why: \`ratecard billing pushes ${id}\`. Correct it, and push again.`
    : `Wait for it: \`ratecard billing pushes ${id} --follow\`.`
}
