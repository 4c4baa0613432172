// Billing time of a service that runs its own sandbox: it follows the clock of the sandbox's account, which a person can move. So the end
// of a deal or the window of an allowance can be rehearsed. Reasons: docs/decisions/05-the-sandbox-and-whom-it-believes.md.
import type { Clock } from '../../base/clock.ts'
import type { Service } from '../service/service.ts'

export interface BillingClock extends Clock {
  /** From now on, whoever moves the sandbox's clock waits until the service has done what is due. Failures are passed to `report`. */
  readonly attach: (service: Pick<Service, 'catchUp'>, report: (error: unknown) => void) => void
  /**
   * The sandbox's clock is this number of seconds ahead of real time. Resolves when the service has done what is due by then, with the time
   * (epoch seconds) at which the clock must stop next; null: it need not stop.
   */
  readonly onSandboxMoved: (aheadSeconds: number) => Promise<number | null>
}

/** Creates the clock. It is real time until the sandbox reports that its clock was moved. */
export function createBillingClock(wallClock: Clock): BillingClock {
  let aheadMs = 0
  let catchUp: () => Promise<number | null> = () => Promise.resolve(null)
  return {
    now: () => wallClock.now() + aheadMs,
    attach: (service, report) => {
      catchUp = () => service.catchUp(report)
    },
    onSandboxMoved: async (aheadSeconds) => {
      aheadMs = aheadSeconds * 1000
      const next = await catchUp()
      return next === null ? null : Math.ceil(next / 1000)
    },
  }
}
