import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planChanges, planIsEmpty } from '../../packages/ratecard/src/catalog/plan/plan-changes.ts'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'
import { arbitraryConfig } from '../support/generated/arbitrary-config.ts'
import { sharedSandbox } from '../support/shared-sandbox.ts'
import { nobody, type Stack } from '../support/stack.ts'

const { withStack } = sharedSandbox()

const runs = Number(process.env['PROPERTY_RUNS'] ?? 4)

test('each generated document is valid', () => {
  fc.assert(
    fc.property(arbitraryConfig, (config) => {
      expect(validateConfig(config).errors).toEqual([])
    }),
    { numRuns: Math.max(100, 3 * runs) },
  )
})

test('after any change of documents is applied, the next plan is empty and a second push of the document changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryConfig, arbitraryConfig, async (first, second) => {
      await withStack(async ({ service, store, snapshot }) => {
        await service.push(first, nobody)
        await service.push(second, nobody)
        const plan = planChanges({
          config: second,
          previous: second,
          snapshot: await snapshot(),
          mappings: await store.mappings.all(),
        })
        expect(plan.issues.filter((issue) => issue.severity === 'error')).toEqual([])
        expect(plan.steps).toEqual([])
        expect(planIsEmpty(plan)).toBe(true)
        expect((await service.push(second, nobody)).status).toBe('unchanged')
      })
    }),
    { numRuns: runs },
  )
})

test('the pull of a pushed document is valid, and pushing it changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryConfig, arbitraryConfig, async (first, second) => {
      await withStack(async ({ service }) => {
        await service.push(first, nobody)
        await service.push(second, nobody)
        const { document, unrepresentable } = await service.pull()
        // The processor made the first configuration of the portal the account's default, which a pull leaves alone if the document no
        // longer contains it.
        expect(unrepresentable.filter(({ reason }) => !reason.includes('default configuration of the portal'))).toEqual(
          [],
        )
        expect(validateConfig(document).errors).toEqual([])
        expect((await service.push(document, nobody)).status).toBe('unchanged')
      })
    }),
    { numRuns: runs },
  )
})

test('a change that is reversed by a later push restores the original processor objects', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryConfig, arbitraryConfig, async (first, second) => {
      await withStack(async ({ service, store }) => {
        await service.push(first, nobody)
        const before = await currentIds(store)
        await service.push(second, nobody)
        const back = await service.rollback(1, nobody)
        expect(['applied', 'unchanged']).toContain(back.status)
        const after = await currentIds(store)
        for (const [key, id] of before)
          if (key.startsWith('price:') || key.startsWith('product:')) expect([key, after.get(key)]).toEqual([key, id])
      })
    }),
    { numRuns: Math.ceil(runs / 2) },
  )
})

async function currentIds(store: Stack['store']): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const entry of await store.mappings.all()) ids.set(`${entry.kind}:${entry.configId}`, entry.processorId)
  return ids
}
