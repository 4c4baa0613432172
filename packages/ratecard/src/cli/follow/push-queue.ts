// Waits for a running push to end, at most as long as the option `--wait` allows.
import { setTimeout as wait } from 'node:timers/promises'
import { RatecardError, type Client } from '@ratecard/client'
import type { CommandContext } from '../program/command.ts'
import { durationOf } from '../times.ts'

const pollMs = 1_000

export interface PushQueue {
  /** Polls the newest push. Returns when no push is running or the time of `--wait` has passed. */
  untilFree(): Promise<void>
  /**
   * Returns true if the error means that another push is running and time is left. In that case it waits one poll interval before it
   * returns. Returns false at once for any other error.
   */
  mayRetry(error: unknown): Promise<boolean>
}

export function createPushQueue({ options, io, out }: CommandContext, client: Client): PushQueue {
  const until = performance.now() + durationOf(options.text('wait') ?? '0', '--wait')
  const isOver = () => performance.now() >= until
  const pause = () => wait(Math.min(pollMs, Math.max(1, until - performance.now())), undefined, { signal: io.signal })
  const untilFree = async () => {
    let said = false
    while (!isOver()) {
      const [newest] = (await client.admin.pushes({ limit: 1, signal: io.signal })).pushes
      if (newest === undefined || (newest.state !== 'running' && newest.state !== 'planned')) break
      if (!said) out.note(`Push ${newest.id} is running (${newest.author ?? 'unknown author'}): waiting for it.`)
      said = true
      out.progress(`${String(newest.stepsDone)}/${String(newest.stepsTotal)} steps of push ${newest.id}`)
      await pause()
    }
    out.endProgress()
  }
  return {
    untilFree,
    async mayRetry(error) {
      if (!(error instanceof RatecardError) || error.code !== 'push_in_progress' || isOver()) return false
      await pause()
      return true
    },
  }
}
