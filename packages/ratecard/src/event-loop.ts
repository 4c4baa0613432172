// For loops over very many rows outside the pure rooms: they yield to the event loop, so that other requests go on.

/** Longest time in milliseconds between two yields, far below what a person or a health check notices. */
const sliceMs = 8

let sliceBegan = 0

/** Yields to the event loop if the present slice has lasted long enough; else returns at once. Called between two rows. */
export async function yieldToRequests(): Promise<void> {
  if (performance.now() - sliceBegan < sliceMs) return
  await new Promise((resolve) => setImmediate(resolve))
  sliceBegan = performance.now()
}
