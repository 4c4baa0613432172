/** The largest value of everything that a control route takes: what is beyond is a mistake, and might never end. */
export const ceilings = {
  /** How far an account's clock may be ahead of the real time, in seconds: a hundred years. */
  clockAhead: 100 * 366 * 86_400,
  /** Requests that a fault passes or strikes. */
  faultRequests: 1_000_000,
  latencyMs: 600_000,
  /** Seconds: a day. */
  searchDelay: 86_400,
  faultsAtOnce: 1000,
  snapshots: 20,
  seedCalls: 10_000,
  /** Rows of a log in one answer. */
  rows: 10_000,
  /** Characters of a name, a path, a reason. */
  text: 500,
} as const
