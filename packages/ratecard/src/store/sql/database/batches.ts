/**
 * Maximum number of rows per statement. It follows from the engines' limits of parameters per statement, 32,766 (SQLite) and 65,535
 * (PostgreSQL), because the widest table has 17 columns.
 */
export const batchSize = 1000

/** Runs `work` on consecutive slices of the rows, one after the other. `start` is the index of the first row of a slice. */
export async function inBatches<T>(
  rows: readonly T[],
  work: (slice: readonly T[], start: number) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += batchSize) await work(rows.slice(start, start + batchSize), start)
}
