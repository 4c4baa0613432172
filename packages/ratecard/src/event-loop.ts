// Yields to the event loop, for loops over very many rows outside the pure rooms, so that other requests go on.

/** Longest time (ms) between two yields: 8 ms of delay go unnoticed by end users and health checks. */
const sliceMs = 8

let sliceBegan = 0

/** Yields to the event loop if the present slice has lasted `sliceMs`; otherwise returns at once. Called between two rows. */
export async function yieldToRequests(): Promise<void> {
  if (performance.now() - sliceBegan < sliceMs) return
  await new Promise((resolve) => setImmediate(resolve))
  sliceBegan = performance.now()
}
