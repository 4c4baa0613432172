// Journal of work in several steps, implemented for pushes and for jobs. Each step is written to the journal before its request is sent,
// and again after its response.
import type { LeaseToken } from './lease-token.ts'

/**
 * Every method with a token throws `push_in_progress` if the token's lease is no longer held. So a process that has lost its lease cannot
 * write any more. A finished step cannot be reopened, and neither can work that has ended.
 */
export interface Journal<Work, NewWork, Step, Ending extends string> {
  /**
   * Adds the work in state `running` with all its steps, in order and `pending`. A push with thousands of steps is stored in several
   * transactions. If the process dies before the last one, the push stays in state `planned` and cannot be resumed.
   */
  open(work: NewWork, token: LeaseToken): Promise<Work>
  /** Ends the work, or pauses it in state `interrupted`. Paused work can be resumed. `error` is JSON. */
  end(id: string, state: Ending, error: string | null, token: LeaseToken): Promise<void>
  /** Sets paused work to `running` again. */
  resume(id: string, token: LeaseToken): Promise<void>
  /**
   * Stores a request to cancel running work between two steps. The process that runs the work polls for the request. Returns false if the
   * work is not running.
   */
  requestCancel(id: string, at: number): Promise<boolean>
  cancelRequested(id: string): Promise<boolean>
  find(id: string): Promise<Work | null>
  /**
   * Returns the steps in order. With `since` (epoch milliseconds), returns only steps that began or ended at that time or later, by the
   * clock of the process that ran the steps.
   */
  steps(id: string, since?: number): Promise<readonly Step[]>
}
