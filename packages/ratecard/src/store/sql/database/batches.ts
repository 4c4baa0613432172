/** Rows per statement. Limits on parameters are 32,766 (SQLite) and 65,535 (PostgreSQL), and the widest table has 17 columns. */
const batchSize = 1000

/** Runs `work` on consecutive slices, one after the other. `start` is the index of the slice's first row. */
export async function inBatches<T>(
  rows: readonly T[],
  work: (slice: readonly T[], start: number) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += batchSize) await work(rows.slice(start, start + batchSize), start)
}
