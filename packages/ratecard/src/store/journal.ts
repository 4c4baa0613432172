// What pushes and jobs have in common: work of many steps, each written down before it is sent and after it is answered.
import type { LeaseToken } from './lease-token.ts'

/**
 * Every method that takes a token fails with `push_in_progress` when its lease is no longer held: who lost it writes nothing
 * more. A step that is done stays done, and work that came to its end stays so.
 */
export interface Journal<Work, NewWork, Step, Ending extends string> {
  /** `running`, with all its steps pending in their order. */
  open(work: NewWork, token: LeaseToken): Promise<Work>
  /** Ends it, or (`interrupted`) leaves it to be taken up again. `error` is JSON. */
  end(id: string, state: Ending, error: string | null, token: LeaseToken): Promise<void>
  /** `running` again. */
  resume(id: string, token: LeaseToken): Promise<void>
  /** Asks running work to stop between two steps; whoever runs it reads this. False when it is not running. */
  requestCancel(id: string, at: number): Promise<boolean>
  cancelRequested(id: string): Promise<boolean>
  find(id: string): Promise<Work | null>
  /** In their order. `since`: only those that began or ended then or later, by the clock of whoever ran them. */
  steps(id: string, since?: number): Promise<readonly Step[]>
}
