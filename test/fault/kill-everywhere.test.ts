import { expect, test } from 'vitest'
import { createHarness, sqliteStores } from '../support/kill-harness.ts'
import { firstDocument, secondDocument } from '../support/kill-documents.ts'

test(
  'a push killed at any point, and pushed again, ends as an undisturbed one (SQLite)',
  { timeout: 900_000 },
  async () => {
    const harness = await createHarness(sqliteStores(), firstDocument, secondDocument)
    try {
      const undisturbed = await harness.run(0)
      expect(undisturbed.world).toMatchObject({ planIsEmpty: true, secretsKnown: true })
      expect(undisturbed.points).toBeGreaterThan(150)
      const step = Number(process.env['KILL_STEP'] ?? 1)
      for (let point = 1; point <= undisturbed.points; point += step) {
        const { killed, world } = await harness.run(point)
        expect({ point, killed, ...world }).toEqual({ point, killed: true, ...undisturbed.world })
      }
    } finally {
      await harness.close()
    }
  },
)
