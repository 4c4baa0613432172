import type { ChangeStep } from '../../item-swaps/change-step.ts'

/** Returns the step that releases the schedule of a subscription; empty without a schedule. */
export const releaseOf = (subscription: string, schedule: string | null): readonly ChangeStep[] =>
  schedule === null ? [] : [{ op: 'release', subscription, schedule }]
