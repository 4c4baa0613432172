/** Limits in requests per second. `none` has no limit; `sandbox` and `live` have the limits of Stripe's test and live mode. */
export const rateProfiles = {
  none: null,
  sandbox: { account: 25, operation: 25 },
  live: { account: 100, operation: 25 },
} as const
export type RateProfile = keyof typeof rateProfiles

/** Meter events a second in live mode. They do not count as other requests there; in test mode they do. */
const meterEventsPerSecond = 1000
const meterEvents = 'POST /v1/billing/meter_events'

interface Bucket {
  tokens: number
  filledAt: number
}

/** Rate limit with token buckets, one per account and one per operation of an account. Each bucket holds the requests of one second. */
export class RateLimit {
  #profile: RateProfile
  readonly #buckets = new Map<string, Bucket>()

  constructor(profile: RateProfile) {
    this.#profile = profile
  }

  get profile(): RateProfile {
    return this.#profile
  }

  set profile(profile: RateProfile) {
    this.#profile = profile
    this.#buckets.clear()
  }

  /** Returns the reason for a 429, or undefined if the request may pass. A rejected request consumes no token. */
  take(account: string, operation: string, nowMs: number): 'global-rate' | 'endpoint-rate' | undefined {
    const limits = rateProfiles[this.#profile]
    if (limits === null) return undefined
    if (this.#profile === 'live' && operation === meterEvents) return this.#takeMeterEvent(account, nowMs)
    const whole = this.#fill(account, limits.account, nowMs)
    const own = this.#fill(`${account} ${operation}`, limits.operation, nowMs)
    if (whole.tokens < 1) return 'global-rate'
    if (own.tokens < 1) return 'endpoint-rate'
    whole.tokens--
    own.tokens--
    return undefined
  }

  #takeMeterEvent(account: string, nowMs: number): 'endpoint-rate' | undefined {
    const events = this.#fill(`${account} ${meterEvents}`, meterEventsPerSecond, nowMs)
    if (events.tokens < 1) return 'endpoint-rate'
    events.tokens--
    return undefined
  }

  #fill(name: string, perSecond: number, nowMs: number): Bucket {
    let bucket = this.#buckets.get(name)
    if (bucket === undefined) this.#buckets.set(name, (bucket = { tokens: perSecond, filledAt: nowMs }))
    const gained = (Math.max(0, nowMs - bucket.filledAt) * perSecond) / 1000
    bucket.tokens = Math.min(perSecond, bucket.tokens + gained)
    bucket.filledAt = nowMs
    return bucket
  }
}
