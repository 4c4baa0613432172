// Renames of every kind except prices, which have their own file. After any sequence of renames, revisions, edits at the processor and
// rollbacks, an applied plan leaves nothing to do, and every object that was ever used for an item is found under the item's current id.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resourceKey } from '../../packages/ratecard/src/catalog/resource.ts'
import { planChanges, planIsEmpty } from '../../packages/ratecard/src/catalog/plan/plan-changes.ts'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { ServiceError } from '../../packages/ratecard/src/base/errors/service-error.ts'
import { sharedSandbox } from '../support/shared-sandbox.ts'
import { nobody, type Stack } from '../support/stack.ts'

const { withStack } = sharedSandbox()

const runs = Math.ceil(Number(process.env['PROPERTY_RUNS'] ?? 12) / 3)
const kinds = ['meter', 'feature', 'product', 'coupon', 'promotion_code', 'tax_rate', 'portal', 'webhook'] as const
type Kind = (typeof kinds)[number]
const names = ['a', 'b', 'c', 'd'] as const

/** An item of the model. Its identity stays the same when its id changes. */
interface Item {
  readonly kind: Kind
  /** Distinguishes it from the other item of its kind at the processor; never changes. */
  readonly serial: number
  name: string
  value: number
  /** Every processor object that the item ever had. */
  readonly stood: Set<string>
}

const act = fc.record({
  act: fc.constantFrom('rename' as const, 'rename' as const, 'revise' as const, 'switch_off' as const),
  kind: fc.constantFrom(...kinds),
  which: fc.nat(1),
  /** Chooses a free name, or is the new value. */
  number: fc.integer({ min: 1, max: 9 }),
})
const releases = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('push' as const), acts: fc.array(act, { minLength: 1, maxLength: 6 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rollback' as const), to: fc.nat(9) }) },
  ),
  { minLength: 2, maxLength: 5 },
)

function documentOf(version: number, items: readonly Item[], renamed: ReadonlyMap<Item, string>): BillingConfig {
  const of = <Written extends object>(kind: Kind, write: (item: Item) => Written) =>
    items
      .filter((item) => item.kind === kind)
      .map((item) => {
        const former = renamed.get(item)
        return { id: item.name, ...write(item), ...(former === undefined ? {} : { previous_ids: [former] }) }
      })
  const coupon = items.find((item) => item.kind === 'coupon')?.name ?? ''
  return {
    version: `1.${String(version)}.0`,
    meters: of('meter', ({ serial, value }) => ({
      display_name: `Meter ${String(value)}`,
      event_name: `event_${String(serial)}`,
    })),
    features: of('feature', ({ value }) => ({ name: `Feature ${String(value)}` })),
    products: of('product', ({ value }) => ({ name: `Product ${String(value)}` })),
    coupons: of('coupon', ({ value }) => ({ percent_off: value, duration: 'once' as const })),
    promotion_codes: of('promotion_code', ({ serial, value }) => ({
      code: `CODE${String(serial)}`,
      coupon,
      max_redemptions: value,
    })),
    tax_rates: of('tax_rate', ({ serial, value }) => ({
      display_name: `Tax ${String(serial)}`,
      percentage: value,
      inclusive: false,
    })),
    portal: of('portal', ({ value }) => ({ headline: `Portal ${String(value)}`, features: { invoice_history: {} } })),
    webhooks: of('webhook', ({ serial, value }) => ({
      url: `https://hooks.example.test/${String(serial)}`,
      events: ['invoice.paid', ...(value > 5 ? ['invoice.voided'] : [])],
    })),
  }
}

/** Deactivation in the processor’s dashboard. A coupon cannot be deactivated, so it is deleted. */
const switchOff: Readonly<Record<Kind, (stripe: Stack['stripe'], id: string) => Promise<unknown>>> = {
  meter: (stripe, id) => stripe.billing.meters.deactivate(id),
  feature: (stripe, id) => stripe.entitlements.features.update(id, { active: false }),
  product: (stripe, id) => stripe.products.update(id, { active: false }),
  coupon: (stripe, id) => stripe.coupons.del(id),
  promotion_code: (stripe, id) => stripe.promotionCodes.update(id, { active: false }),
  tax_rate: (stripe, id) => stripe.taxRates.update(id, { active: false }),
  portal: (stripe, id) => stripe.billingPortal.configurations.update(id, { active: false }),
  webhook: (stripe, id) => stripe.webhookEndpoints.update(id, { disabled: true }),
}

async function currentObjects({ store }: Stack): Promise<ReadonlyMap<string, string>> {
  return new Map(
    (await store.mappings.all()).map((entry) => [resourceKey(entry.kind, entry.configId), entry.processorId]),
  )
}

/**
 * Returns null if the push was refused because of the lookup key of a feature. The key is never freed: an archived feature has to be
 * created again, and another feature may exist under its id. The team then has to choose another id.
 */
async function unlessKeyIsHeld<Outcome>(work: Promise<Outcome>): Promise<Outcome | null> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'plan_refused') throw error
    const errors = error.issues.filter(({ severity }) => severity === 'error')
    if (errors.some(({ code, pointer }) => code !== 'lookup_key_taken' || !pointer.startsWith('#/features/')))
      throw error
    return null
  }
}

test('no object of any kind is lost by any sequence of renames, revisions, edits at the processor and rollbacks', async () => {
  await fc.assert(
    fc.asyncProperty(releases, (steps) =>
      withStack(async (stack) => {
        const { service, store, stripe, processor } = stack
        // The first configuration of an account is its default, which cannot be switched off.
        await stripe.billingPortal.configurations.create({ features: { invoice_history: { enabled: true } } })
        const items = kinds.flatMap((kind) =>
          [0, 1].map((serial): Item => ({
            kind,
            serial,
            name: names[serial] ?? '',
            value: 1 + serial,
            stood: new Set(),
          })),
        )
        /** The content of each revision, and the ids of its items. */
        const history: {
          readonly revision: number
          readonly document: BillingConfig
          readonly was: readonly (readonly [string, number])[]
        }[] = []
        const objectOf = async ({ kind, name }: Item) => (await currentObjects(stack)).get(resourceKey(kind, name))
        const settle = async (document: BillingConfig, revision: number) => {
          const current = await currentObjects(stack)
          for (const { kind, name, stood } of items) stood.add(current.get(resourceKey(kind, name)) ?? 'nothing')
          history.push({ revision, document, was: items.map(({ name, value }) => [name, value]) })
          const plan = planChanges({
            config: document,
            previous: document,
            snapshot: await processor.snapshot({ signal: AbortSignal.timeout(30_000) }),
            mappings: await store.mappings.all(),
          })
          expect(plan.issues.filter(({ severity }) => severity === 'error')).toEqual([])
          expect(plan.changes.filter(({ action }) => action !== 'keep')).toEqual([])
          expect(planIsEmpty(plan)).toBe(true)
          for (const { kind, name, stood } of items)
            for (const object of stood) {
              const { configId, itemType } = await service.convert(object, { hidden: true })
              expect([object, itemType, configId]).toEqual([object, kind, name])
            }
        }
        const first = documentOf(0, items, new Map())
        await settle(first, (await service.push(first, nobody)).revision ?? 0)
        for (const [index, step] of steps.entries()) {
          if (step.kind === 'rollback') {
            const target = history[step.to % history.length]
            if (target === undefined) continue
            const back = await unlessKeyIsHeld(service.rollback(target.revision, nobody))
            if (back === null) return
            const { revision, status } = back
            if (status === 'unchanged') continue
            for (const [at, [name, value]] of target.was.entries()) Object.assign(items[at] ?? {}, { name, value })
            await settle(target.document, revision ?? 0)
            continue
          }
          const taken = new Set(items.map(({ kind, name }) => resourceKey(kind, name)))
          const renamed = new Map<Item, string>()
          const off = new Set<Item>()
          for (const { act: what, kind, which, number } of step.acts) {
            const item = items.find((one) => one.kind === kind && one.serial === which)
            if (item === undefined) continue
            if (what === 'revise') item.value = number
            else if (what === 'switch_off' && !off.has(item) && !renamed.has(item)) {
              off.add(item)
              await switchOff[kind](stripe, (await objectOf(item)) ?? '')
            } else if (what === 'rename' && !renamed.has(item)) {
              const free = names.filter(
                (name) =>
                  !taken.has(resourceKey(kind, name)) && items.every((one) => one.kind !== kind || one.name !== name),
              )
              const name = free[number % Math.max(1, free.length)]
              if (name === undefined) continue
              renamed.set(item, item.name)
              item.name = name
            }
          }
          const document = documentOf(index + 1, items, renamed)
          const pushed = await unlessKeyIsHeld(service.push(document, { ...nobody, force: true }))
          if (pushed === null) return
          await settle(document, pushed.revision ?? 0)
        }
      }),
    ),
    { numRuns: runs },
  )
})
