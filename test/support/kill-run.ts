// What a kill run must show, for any store and any choice of points.
import { expect } from 'vitest'
import { firstDocument, secondDocument } from './kill-documents.ts'
import { createHarness } from './kill-harness.ts'
import type { StoreFactory } from './kill-stores.ts'

/**
 * Kills a representative push at the chosen points of all it has, each time from the same beginning, and expects that pushing
 * again ends as the undisturbed push does. The lanes share the points and run side by side.
 */
export async function expectEveryKillSurvived(
  makeStores: () => Promise<StoreFactory>,
  choose: (points: number) => readonly number[],
  lanes = 1,
): Promise<void> {
  await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(makeStores, choose, { lane, lanes })))
}

async function runLane(
  makeStores: () => Promise<StoreFactory>,
  choose: (points: number) => readonly number[],
  { lane, lanes }: { readonly lane: number; readonly lanes: number },
): Promise<void> {
  const harness = await createHarness(await makeStores(), firstDocument, secondDocument)
  try {
    const undisturbed = await harness.run(0)
    expect(undisturbed).toMatchObject({ killed: false, world: { planIsEmpty: true, secretsKnown: true } })
    expect(undisturbed.points).toBeGreaterThan(100)
    const mine = choose(undisturbed.points).filter((_, index) => index % lanes === lane)
    for (const point of mine) {
      const { killed, world } = await harness.run(point)
      expect({ point, killed, ...world }).toEqual({ point, killed: true, ...undisturbed.world })
    }
  } finally {
    await harness.close()
  }
}

/** 1, 1 + step, 1 + 2 × step, … */
export const everyNth = (step: number) => (points: number) =>
  Array.from({ length: Math.ceil(points / step) }, (_, index) => 1 + index * step)

/** So many, spread evenly over the whole push. */
export const spread = (count: number) => (points: number) =>
  Array.from({ length: count }, (_, index) => Math.round(((index + 0.5) * points) / count))
