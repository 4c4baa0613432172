/**
 * Maximum values that control routes accept. A larger value is a mistake (e.g. milliseconds given as seconds) and could keep the sandbox
 * busy for a very long time.
 */
export const ceilings = {
  /** Maximum seconds that an account's clock can be ahead of the real time: 100 years. */
  clockAhead: 100 * 366 * 86_400,
  /** Maximum number of requests that a fault skips or fails. */
  faultRequests: 1_000_000,
  latencyMs: 600_000,
  /** Maximum delay (seconds) until searches find a new object: 1 day. */
  searchDelay: 86_400,
  faultsAtOnce: 1000,
  snapshots: 20,
  seedCalls: 10_000,
  /** Maximum number of rows of a log in one response. */
  rows: 10_000,
  /** Maximum number of characters of a name, a path or a reason. */
  text: 500,
} as const
