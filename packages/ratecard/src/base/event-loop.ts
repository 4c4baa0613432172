// Yields to the event loop during loops over very many rows, so that other requests can be handled in between.

/** Longest time (ms) between two yields. End users and health checks do not notice a delay of 8 ms. */
const sliceMs = 8

let sliceBegan = 0

/** Yields to the event loop if the last yield was `sliceMs` or longer ago; otherwise returns at once. Call it between two rows. */
export async function yieldToRequests(): Promise<void> {
  if (performance.now() - sliceBegan < sliceMs) return
  await new Promise((resolve) => setImmediate(resolve))
  sliceBegan = performance.now()
}
