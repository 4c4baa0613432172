// Journal of multi-step work, shared by pushes and jobs: each step is written before its request is sent and again after its response.
import type { LeaseToken } from './lease-token.ts'

/**
 * Every method with a token fails with `push_in_progress` if its lease is no longer held, so that a process that lost the lease writes
 * nothing more. A step that is done stays done, and work that ended stays ended.
 */
export interface Journal<Work, NewWork, Step, Ending extends string> {
  /** Creates the work in state `running`, with all its steps pending in order. */
  open(work: NewWork, token: LeaseToken): Promise<Work>
  /** Ends the work or (`interrupted`) leaves it to be resumed. `error` is JSON. */
  end(id: string, state: Ending, error: string | null, token: LeaseToken): Promise<void>
  /** Sets the work to `running` again. */
  resume(id: string, token: LeaseToken): Promise<void>
  /** Requests that running work stops between two steps; the process that runs it polls this. False if the work is not running. */
  requestCancel(id: string, at: number): Promise<boolean>
  cancelRequested(id: string): Promise<boolean>
  find(id: string): Promise<Work | null>
  /** Returns the steps in order. With `since`, only those that began or ended then or later, by the clock of the process that ran them. */
  steps(id: string, since?: number): Promise<readonly Step[]>
}
