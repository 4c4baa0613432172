// Decides which tick of a cron schedule runs now, which ticks are missed, and when the next tick is due. A tick is a time at which the
// schedule fires. Pure: the caller passes the time.
import { nextFire } from '../cron/next-fire.ts'
import { parseCron } from '../cron/parse.ts'
import type { DuePlan } from '../../store/records/workers.ts'

/**
 * Maximum delay (ms) of a run. A tick that is older is recorded as missed and does not run, because the next tick is near or the run is no
 * longer useful.
 */
export const graceMs = 10_000
/**
 * Maximum number of missed ticks that are listed separately after a long downtime. The newest ones are listed. The note of the oldest
 * listed tick contains the number of the ticks before it.
 */
const maxListed = 1_000

/**
 * Plans the due ticks of a schedule. `nextAt` is the first tick that no replica has claimed yet. It stays unclaimed if it is in the future.
 */
export function planDue(cron: string, nextAt: number, now: number): DuePlan {
  const { schedule } = parseCron(cron)
  // The parser rejects a stored expression only if it was deployed by a release with another grammar.
  if (schedule === undefined) return { run: null, missed: [], nextAt: null }
  const due: number[] = []
  let dropped = 0
  let tick: number | null = nextAt
  while (tick !== null && tick <= now) {
    due.push(tick)
    if (due.length > maxListed) {
      due.shift()
      dropped++
    }
    tick = nextFire(schedule, tick)
  }
  const last = due.at(-1)
  const run = last !== undefined && now - last <= graceMs ? last : null
  const missed = due.filter((scheduledTime) => scheduledTime !== run)
  return {
    run,
    missed: missed.map((scheduledTime, index) => ({
      scheduledTime,
      note: index === 0 && dropped > 0 ? `${whyMissed} So were ${String(dropped)} ticks before it.` : whyMissed,
    })),
    nextAt: tick,
  }
}

const whyMissed = 'No service that hosts workers was running.'

/** Returns the first tick after `now` of each expression. All expressions must be valid. */
export function firstTicks(crons: readonly string[], now: number): { cron: string; nextAt: number }[] {
  return crons.flatMap((cron) => {
    const { schedule } = parseCron(cron)
    const nextAt = schedule === undefined ? null : nextFire(schedule, now)
    return nextAt === null ? [] : [{ cron, nextAt }]
  })
}
