/**
 * Maximum number of rows per statement. The engines limit the parameters of a statement to 32,766 (SQLite) and 65,535 (PostgreSQL), and the
 * widest table has 17 columns.
 */
const batchSize = 1000

/** Runs `work` on consecutive slices of the rows, one slice after the other. `start` is the index of a slice's first row. */
export async function inBatches<T>(
  rows: readonly T[],
  work: (slice: readonly T[], start: number) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += batchSize) await work(rows.slice(start, start + batchSize), start)
}
