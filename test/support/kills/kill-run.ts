// Assertions of a kill run, for any store and any choice of points.
import { expect } from 'vitest'
import { firstDocument, secondDocument } from './kill-documents.ts'
import { createHarness, lateKinds } from './kill-harness.ts'
import type { StoreFactory } from './kill-stores.ts'

/**
 * Kills a representative push at the chosen points, each time from the same state, and expects a second push to reach the state of an
 * undisturbed push. The lanes share the points and run concurrently.
 */
export async function expectEveryKillSurvived(
  makeStores: () => Promise<StoreFactory>,
  choose: (points: number) => readonly number[],
  lanes: number,
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

/**
 * Kills a representative push during the chosen writes, with both kinds of a write in flight. The next push is applied, or waits for that
 * write. Once it was applied, the write changes nothing.
 */
export async function expectLateWritesHarmless(
  makeStores: () => Promise<StoreFactory>,
  choose: (writes: number) => readonly number[],
  lanes: number,
): Promise<void> {
  const runLane = async (lane: number) => {
    const harness = await createHarness(await makeStores(), firstDocument, secondDocument)
    try {
      const undisturbed = await harness.run(0)
      expect(undisturbed.writes).toBeGreaterThan(20)
      const chosen = choose(undisturbed.writes).flatMap((write) => lateKinds.map((kind) => ({ write, kind })))
      for (const { write, kind } of chosen.filter((_, index) => index % lanes === lane)) {
        const { retryAfter = 90, ...outcome } = await harness.runLate(write, kind)
        const refusedWith = outcome.refusedWith === undefined ? undefined : 'push_unfinished'
        expect({ write, kind, ...outcome }).toEqual({
          ...{ write, kind, killed: true, landed: 1, refusedWith },
          ...{ applied: undisturbed.world, later: undisturbed.world },
        })
        expect(retryAfter).toBeGreaterThan(0)
        expect(retryAfter).toBeLessThanOrEqual(90)
        if (kind === 'late_arrival') expect({ write, refusedWith }).toEqual({ write, refusedWith: undefined })
      }
    } finally {
      await harness.close()
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)))
}

/** 1, 1 + step, 1 + 2 × step, … */
export const everyNth = (step: number) => (points: number) =>
  Array.from({ length: Math.ceil(points / step) }, (_, index) => 1 + index * step)
