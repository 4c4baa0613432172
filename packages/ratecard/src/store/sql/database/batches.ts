/** Rows per statement. Limits on parameters are 32,766 (SQLite) and 65,535 (PostgreSQL), and the widest table has 17 columns. */
const batchSize = 1000

/** Runs `work` on consecutive slices, one after the other. */
export async function inBatches<T>(rows: readonly T[], work: (slice: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < rows.length; start += batchSize) await work(rows.slice(start, start + batchSize))
}
