import { expect, onTestFinished, test } from 'vitest'
import { createKeptFindings } from '../../../packages/ratecard/src/server/health/kept-findings.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import type { Finding } from '../../../packages/ratecard/src/api/server/server.ts'

const finding: Finding = { check: 'store', status: 'ok', detail: 'It answers.' }

test('concurrent calls of the doctor share one run of the checks, and a failed run is not cached', async () => {
  const clock = { now: () => Date.UTC(2031, 0, 1) }
  const store = await openStore({ url: null, file: ':memory:', sealer: createSealer(generateMasterKey()), clock })
  onTestFinished(() => store.close())
  const runs: PromiseWithResolvers<readonly Finding[]>[] = []
  const { doctor } = createKeptFindings({
    ...{ store, clock },
    examine: () => {
      const run = Promise.withResolvers<readonly Finding[]>()
      runs.push(run)
      return run.promise
    },
    drift: () => Promise.reject(new Error('not asked')),
  })
  const [menu, page, health] = [doctor({ maxAgeSeconds: 86_400 }), doctor({ maxAgeSeconds: 60 }), doctor()]
  await expect.poll(() => runs.length).toBe(1)
  runs[0]?.resolve([finding])
  expect(await Promise.all([menu, page, health])).toEqual([[finding], [finding], [finding]])
  expect(runs).toHaveLength(1)

  const failed = doctor()
  await expect.poll(() => runs.length).toBe(2)
  runs[1]?.reject(new Error('no answer'))
  await expect(failed).rejects.toThrow('no answer')
  expect(await doctor({ maxAgeSeconds: 60 })).toEqual([finding])
  const again = doctor()
  await expect.poll(() => runs.length).toBe(3)
  runs[2]?.resolve([])
  expect(await again).toEqual([])
})
