// A failed access to the database.

/**
 * Time (ms) for which the store counts as failing after a failed read or write, e.g. on a full disk. A ping does not detect such a failure.
 */
export const refusalMs = 60_000

export interface StoreRefusal {
  readonly access: 'read' | 'write'
  /** The database's own error code, e.g. `SQLITE_FULL`, `53100` or `ECONNREFUSED`. */
  readonly code: string
  /** Time of the failure, epoch milliseconds. */
  readonly at: number
  /**
   * Kind of the failed access. `connection`: the database was unreachable; the next successful connection ends this state. `condition`:
   * e.g. a full disk; the next read may succeed although writes fail, so this state lasts for `refusalMs`. `damage`: the check at start
   * found a damaged file; this state lasts until the next start.
   */
  readonly kind: 'connection' | 'condition' | 'damage'
}
