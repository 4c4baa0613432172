// Which ticks of a schedule run now, which came too late, and when the next one is due. Pure: the time comes from the caller.
import type { DuePlan } from '../../store/worker-store.ts'
import { nextFire } from '../cron/next-fire.ts'
import { parseCron } from '../cron/parse.ts'

/** A tick older than this is not run late: the next one is near, or the moment has passed. */
export const graceMs = 10_000
/** After a long absence so many of the newest ticks are listed one by one; the oldest of them says how many came before. */
const maxListed = 1_000

/** `nextAt` is the first tick that nobody has taken; call it once that is due. */
export function planDue(cron: string, nextAt: number, now: number): DuePlan {
  const { schedule } = parseCron(cron)
  // Only an expression that a later release no longer takes comes here.
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

/** When each expression fires first after `now`; expressions must have passed the parser. */
export function firstTicks(crons: readonly string[], now: number): { cron: string; nextAt: number }[] {
  return crons.flatMap((cron) => {
    const { schedule } = parseCron(cron)
    const nextAt = schedule === undefined ? null : nextFire(schedule, now)
    return nextAt === null ? [] : [{ cron, nextAt }]
  })
}
