// Renames of prices. After any sequence of renames, changes, removals and rollbacks, an applied plan leaves nothing to do, and every object
// that was ever sold for an item is found under the item's current id.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planChanges, planIsEmpty } from '../../packages/ratecard/src/catalog/plan/plan-changes.ts'
import type { BillingConfig, Price } from '../../packages/ratecard/src/document/schema/schema.ts'
import { ServiceError } from '../../packages/ratecard/src/base/errors/service-error.ts'
import { sharedSandbox } from '../support/shared-sandbox.ts'
import { nobody, type Stack } from '../support/stack.ts'

const { withStack } = sharedSandbox()

const runs = Math.ceil(Number(process.env['PROPERTY_RUNS'] ?? 12) / 2)
const names = ['a', 'b', 'c', 'd'] as const

/** An item of the model. Its identity stays the same when its id changes. */
interface Item {
  name: string
  amount: number
  /** Every processor price that was ever sold under it. */
  readonly sold: Set<string>
}

/** An edit of the file between two pushes; numbers select an item or a name. */
type Act =
  | { readonly act: 'rename'; readonly which: number; readonly name: number }
  | { readonly act: 'amount'; readonly which: number; readonly amount: number }
  | { readonly act: 'remove'; readonly which: number }
  | { readonly act: 'add'; readonly name: number; readonly amount: number }
  | { readonly act: 'touch'; readonly which: number }

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('rename' as const), which: fc.nat(9), name: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('amount' as const),
      which: fc.nat(9),
      amount: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('remove' as const), which: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('add' as const), name: fc.nat(9), amount: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('touch' as const), which: fc.nat(9) }) },
)
const releases = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('push' as const),
        acts: fc.array(acts, { minLength: 1, maxLength: 4 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rollback' as const), to: fc.nat(9) }) },
  ),
  { minLength: 2, maxLength: 6 },
)

function documentOf(revision: number, items: readonly Item[], renamed: ReadonlyMap<Item, string>): BillingConfig {
  return {
    version: `1.${String(revision)}.0`,
    products: [
      {
        id: 'product',
        name: 'Product',
        prices: items.map((item): Price => ({
          id: item.name,
          amount: item.amount * 100,
          currency: 'usd',
          interval: 'month',
          ...(renamed.has(item) ? { previous_ids: [renamed.get(item) ?? ''] } : {}),
        })),
      },
    ],
  }
}

/** Performs one edit of the file. An id that was used at the last push is not given to another item before the next push. */
function perform(
  act: Act,
  items: Item[],
  taken: ReadonlySet<string>,
  renamed: Map<Item, string>,
  touched: Set<Item>,
): void {
  const free = names.filter((name) => !taken.has(name) && items.every((item) => item.name !== name))
  const item = 'which' in act && items.length > 0 ? items[act.which % items.length] : undefined
  if (act.act === 'add') {
    const name = free[act.name % Math.max(1, free.length)]
    if (name !== undefined) items.push({ name, amount: act.amount, sold: new Set() })
  } else if (item === undefined) return
  else if (act.act === 'amount') item.amount = act.amount
  else if (act.act === 'touch') touched.add(item)
  else if (act.act === 'remove') {
    if (items.length > 1) items.splice(items.indexOf(item), 1)
  } else {
    const name = free[act.name % Math.max(1, free.length)]
    if (name === undefined || renamed.has(item)) return
    if (item.sold.size > 0) renamed.set(item, item.name)
    item.name = name
  }
}

async function currentPrices(store: Stack['store']): Promise<Map<string, string>> {
  const current = new Map<string, string>()
  for (const entry of await store.mappings.all())
    if (entry.kind === 'price') current.set(entry.configId, entry.processorId)
  return current
}

test('no subscriber of a price is lost by any sequence of renames, edits, removals and rollbacks', async () => {
  await fc.assert(
    fc.asyncProperty(releases, (steps) =>
      withStack(async ({ service, store, stripe, snapshot: readSnapshot }) => {
        let items: Item[] = [{ name: 'a', amount: 1, sold: new Set() }]
        // The items of each revision, with their ids at that time.
        const history: {
          readonly revision: number
          readonly document: BillingConfig
          readonly items: readonly (Item & { was: string; cost: number })[]
        }[] = []
        const settle = async (document: BillingConfig, revision: number) => {
          const current = await currentPrices(store)
          for (const item of items) item.sold.add(current.get(item.name) ?? 'nothing')
          history.push({
            revision,
            document,
            items: items.map((item) =>
              Object.assign(Object.create(item) as Item, { was: item.name, cost: item.amount }),
            ),
          })
          const plan = planChanges({
            config: document,
            previous: document,
            snapshot: await readSnapshot(),
            mappings: await store.mappings.all(),
          })
          expect(plan.issues.filter(({ severity }) => severity === 'error')).toEqual([])
          expect(planIsEmpty(plan)).toBe(true)
          for (const item of items)
            for (const object of item.sold) {
              const { configId } = await service.convert(object, { hidden: true })
              expect([object, configId]).toEqual([object, item.name])
            }
        }
        const first = documentOf(0, items, new Map())
        await settle(first, (await service.push(first, nobody)).revision ?? 0)

        for (const [index, step] of steps.entries()) {
          if (step.kind === 'rollback') {
            const target = history[step.to % history.length]
            if (target === undefined) continue
            try {
              const { revision, status } = await service.rollback(target.revision, nobody)
              if (status === 'unchanged') continue
              // The items of that revision exist again under their ids of that time, and later items are removed.
              items = target.items.map((shadow) => {
                const item = Object.getPrototypeOf(shadow) as Item
                item.name = shadow.was
                item.amount = shadow.cost
                return item
              })
              await settle(target.document, revision ?? 0)
            } catch (error) {
              // Refused without a change if a newer item has an id of that revision.
              if (!(error instanceof ServiceError) || error.code !== 'plan_refused') throw error
            }
            continue
          }
          const taken = new Set(items.map(({ name }) => name))
          const renamed = new Map<Item, string>()
          const touched = new Set<Item>()
          for (const act of step.acts) perform(act, items, taken, renamed, touched)
          for (const item of touched) {
            const [object] = [...item.sold].slice(-1)
            if (object !== undefined)
              await stripe.prices.update(object, { nickname: 'edited by hand', metadata: { by: 'hand' } })
          }
          const document = documentOf(index + 1, items, renamed)
          const { revision } = await service.push(document, { ...nobody, force: true })
          await settle(document, revision ?? 0)
        }
      }),
    ),
    { numRuns: runs },
  )
})
