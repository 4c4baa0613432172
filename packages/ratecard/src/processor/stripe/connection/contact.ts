// Notices when Stripe stops answering. Reads then fail at once, and not after retries of their own each. A page with six reads would
// otherwise take 20 seconds to say six times that Stripe is down.
import type { Clock } from '../../../base/clock.ts'
import { ProcessorError } from '../../processor-error.ts'

/** Attempts in a row without an answer after which Stripe counts as silent, if they lie at least `leastMs` apart. */
const leastFailures = 3
const leastMs = 1_000
/** Time (ms) after which a request counts as a sign of silence, if no other request was answered since it was sent. */
const longestWaitMs = 5_000
/** Time (ms) for which the outcome of a probe holds: reads within it fail without a probe of their own. */
const probeHoldsMs = 2_000

export interface ContactOptions {
  readonly clock: Clock
  /** Sends one cheap read, and resolves with whether Stripe answered it, within two seconds. */
  readonly probe: () => Promise<boolean>
}

/** What this process knows of Stripe's answers. Only the outcomes of its own requests change it. */
export interface Contact {
  /** Notes that a request is sent. The function that it returns notes its end: whether an answer came, even a refusal; null if the caller gave up. */
  readonly sent: () => (answered: boolean | null) => void
  /** Time (epoch ms) since which Stripe has not answered; null while it does. */
  readonly silentSince: () => number | null
  /** Throws `unavailable` while Stripe is silent. Probes first, so that the first read after an outage succeeds. */
  readonly require: () => Promise<void>
}

export function createContact({ clock, probe }: ContactOptions): Contact {
  const waiting = new Set<{ readonly from: number }>()
  let answeredAt: number | null = null
  let failures = 0
  let failedFrom = 0
  let probedAt = -Infinity
  let probing: Promise<void> | null = null

  const note = (answered: boolean, now: number) => {
    if (answered) {
      answeredAt = now
      failures = 0
      waiting.clear()
      return
    }
    if (failures === 0) failedFrom = now
    failures++
  }
  const sent = () => {
    const request = { from: clock.now() }
    waiting.add(request)
    return (answered: boolean | null) => {
      waiting.delete(request)
      if (answered !== null) note(answered, clock.now())
    }
  }
  const silentSince = () => {
    const now = clock.now()
    if (failures >= leastFailures && now - failedFrom >= leastMs) return answeredAt ?? failedFrom
    const oldest = Math.min(...[...waiting].map(({ from }) => from))
    return now - oldest >= longestWaitMs ? (answeredAt ?? oldest) : null
  }
  const look = async () => {
    note(await probe(), clock.now())
    probedAt = clock.now()
  }
  return {
    sent,
    silentSince,
    require: async () => {
      if (silentSince() === null) return
      if (clock.now() - probedAt >= probeHoldsMs) await (probing ??= look().finally(() => (probing = null)))
      const since = silentSince()
      if (since === null) return
      throw new ProcessorError('unavailable', `Stripe has not answered since ${new Date(since).toISOString()}.`)
    },
  }
}
