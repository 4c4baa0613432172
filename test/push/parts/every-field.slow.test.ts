// Tests generated from the field tables: each field is edited, removed, and omitted from the start.
import { describe, expect, it } from 'vitest'
import { fieldRows, documentName } from '../../../packages/ratecard/src/catalog/fields/tables.ts'
import { itemsOf } from '../../../packages/ratecard/src/catalog/kinds.ts'
import { configId, resourceKinds } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { ObservedResource, ProcessorId, ResourceKind } from '../../../packages/ratecard/src/catalog/resource.ts'
import { validateConfig } from '../../../packages/ratecard/src/document/validation/validate.ts'
import type { BillingConfig as Document } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { fieldSamples, sampleCustomers, sampleDocument, sampleIds } from '../../support/generated/field-samples.ts'
import type { Sample } from '../../support/generated/field-samples.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody, type Stack } from '../../support/stack.ts'

const shared = sharedSandbox()

type InAccount = (document: Document) => Document

/** Runs with a new stack. `real` replaces the customers that the samples name by customers of the account. */
const withStack = (
  work: (stack: Stack, real: InAccount) => Promise<void>,
  secretKey = newAccount(),
  real?: InAccount,
): Promise<void> => shared.withStack(async (stack) => work(stack, real ?? (await withCustomers(stack))), { secretKey })

let accounts = 0
const newAccount = () => `sk_test_everyfield${String(process.pid)}x${String(++accounts)}`

async function withCustomers({ stripe }: Stack): Promise<InAccount> {
  const made = await Promise.all(sampleCustomers.map((name) => stripe.customers.create({ name })))
  return (document) =>
    JSON.parse(
      sampleCustomers.reduce(
        (text, name, index) => text.replaceAll(name, made[index]?.id ?? ''),
        JSON.stringify(document),
      ),
    ) as Document
}

const cases = resourceKinds.flatMap((kind) =>
  fieldRows[kind].flatMap(([field, row]) => {
    const sample = (fieldSamples[kind] as Readonly<Record<string, Sample<ResourceKind> | string>>)[field]
    return typeof sample === 'object' ? [{ kind, field, row, sample }] : []
  }),
)

async function liveOf({ snapshot, store }: Stack, kind: ResourceKind): Promise<ObservedResource> {
  const entries = (await store.mappings.all()).filter(
    (entry) => entry.kind === kind && entry.configId === configId(sampleIds[kind]),
  )
  const id = entries.sort((a, b) => b.sequence - a.sequence)[0]?.processorId
  const found = ((await snapshot())[kind] as readonly ObservedResource[]).find((object) => object.processorId === id)
  if (found === undefined) throw new Error(`No live ${kind}`)
  return found
}

/** Puts the sample feature on the product. */
async function attachStep(stack: Stack, product: ProcessorId) {
  const { processorId: feature } = await liveOf(stack, 'feature')
  return {
    op: 'attach',
    kind: 'product',
    configId: configId(sampleIds.product),
    processorId: product,
    feature,
  } as const
}

/** Makes the object unmanaged by removing its mark. */
async function unmarked({ stripe }: Stack, { kind, processorId }: ObservedResource): Promise<void> {
  const metadata = { ratecard_id: '' }
  if (kind === 'promotion_code') await stripe.promotionCodes.update(processorId, { metadata })
  if (kind === 'tax_rate') await stripe.taxRates.update(processorId, { metadata })
  if (kind === 'portal') await stripe.billingPortal.configurations.update(processorId, { metadata })
  if (kind === 'feature') await stripe.entitlements.features.update(processorId, { metadata })
  if (kind === 'webhook') await stripe.webhookEndpoints.update(processorId, { metadata })
}

const valueOf = (live: ObservedResource, field: string) => (live.fields as unknown as Record<string, unknown>)[field]

/** Removing these fields replaces the object, although the processor can update them. */
const replacedWhenRemoved = new Set([
  'coupon.name',
  'coupon.currencyOptions',
  'promotion_code.currencyOptions',
  'price.taxBehavior',
  'tax_rate.country',
  'tax_rate.state',
  'tax_rate.jurisdiction',
  'tax_rate.description',
  'tax_rate.taxType',
])

type Case = (typeof cases)[number]

/** A price has its id as lookup key if the document names none: only an adopted price keeps its key (lookup-keys.test.ts). */
const isPriceKey = ({ kind, field }: Case) => kind === 'price' && field === 'lookupKey'

/** Returns the document of a case with these members; the rest of the item is unchanged. */
const documentOf = ({ kind, sample }: Case, members: object) => sampleDocument(kind, { ...sample.beside, ...members })
const withoutMembers = ({ row }: Case) => Object.fromEntries(row.members.map((member) => [member, undefined]))
const without = (one: Case) => documentOf(one, withoutMembers(one))

function canonicalOf({ kind, row }: Case, config: Document): unknown {
  const placed = itemsOf(config, kind).find(({ item }) => item.id === sampleIds[kind])
  return row.canonical(placed?.item as never, placed?.product as never)
}

describe.each(cases)('the $kind’s $field', (one) => {
  const { kind, field, row, sample } = one

  it('is updated in place, or its object is replaced, as the table of fields defines, and a second push changes nothing', () =>
    withStack(async (stack, real) => {
      const { service } = stack
      const [first, second] = [real(documentOf(one, sample.first)), real(documentOf(one, sample.second))]
      expect(validateConfig(first).errors).toEqual([])
      expect(validateConfig(second).errors).toEqual([])
      await service.push(first, nobody)
      const before = await liveOf(stack, kind)
      if (kind === 'product' && row.mutability === 'fixed') {
        await expect(service.push(second, nobody)).rejects.toThrow(ServiceError)
        return
      }
      const { details } = await service.push(second, nobody)
      const after = await liveOf(stack, kind)
      const detail = details.find((one) => one.kind === kind && one.configId === sampleIds[kind])
      const fixed = row.mutability === 'fixed'
      expect(detail?.action).toBe(fixed ? 'replace' : 'update')
      expect(detail?.because.map((name) => name.split('.')[0])).toContain(
        documentName(kind, field, valueOf(before, field), valueOf(after, field)).split('.')[0],
      )
      expect(after.processorId === before.processorId).toBe(!fixed)
      expect(valueOf(after, field)).not.toEqual(valueOf(before, field))
      expect((await service.push(second, nobody)).status).toBe('unchanged')
      const { document: pulled, unrepresentable } = await service.pull()
      expect(unrepresentable).toEqual([])
      expect((await service.push(pulled, nobody)).status).toBe('unchanged')
    }))
})

const optional = cases.filter(
  (one) =>
    one.row.members.length > 0 &&
    !(one.kind === 'product' && one.row.mutability === 'fixed') &&
    validateConfig(without(one)).errors.length === 0,
)

describe.each(optional)('the $kind’s $field, which is optional,', (one) => {
  const { kind, field, row, sample } = one
  const bare = without(one)

  const kept = row.leftOut === 'kept' && !isPriceKey(one)
  const meaning = kept ? 'stays, as it cannot be empty,' : 'is emptied'
  it(`${meaning} when the document omits it again`, () =>
    withStack(async (stack, real) => {
      const { service } = stack
      await service.push(real(documentOf(one, sample.second)), nobody)
      const before = await liveOf(stack, kind)
      await service.push(bare, nobody)
      const after = await liveOf(stack, kind)
      expect(valueOf(after, field)).toEqual(kept ? valueOf(before, field) : canonicalOf(one, bare))
      if (kept || (row.mutability !== 'fixed' && !replacedWhenRemoved.has(`${kind}.${field}`)))
        expect(after.processorId).toBe(before.processorId)
      expect((await service.push(bare, nobody)).status).toBe('unchanged')
    }))
})

const silent = cases.filter((one) => one.row.leftOut !== 'default' && !isPriceKey(one))

describe.each(silent.filter(({ row }) => row.mutability === 'fixed'))(
  'the $kind’s $field, which a document may omit, if the field is fixed,',
  (one) => {
    const { kind, field, sample } = one

    it('keeps its live value when its object is adopted', async () => {
      const account = newAccount()
      await withStack(async (maker, real) => {
        await maker.service.push(real(documentOf(one, sample.second)), nobody)
        const made = await liveOf(maker, kind)
        await unmarked(maker, made)
        await withStack(
          async (stack) => {
            const adopting = documentOf(one, { ...withoutMembers(one), processor_id: made.processorId })
            const { warnings } = await stack.service.push(adopting, nobody)
            expect(warnings.map(({ code }) => code)).toContain('left_as_is')
            const live = await liveOf(stack, kind)
            expect(live.processorId).toBe(made.processorId)
            expect(valueOf(live, field)).toEqual(valueOf(made, field))
            expect((await stack.service.push(adopting, nobody)).status).toBe('unchanged')
          },
          account,
          real,
        )
      }, account)
    })
  },
)

describe.each(silent.filter(({ row }) => row.mutability !== 'fixed'))(
  'the $kind’s $field, which a document may omit, if the field can change,',
  (one) => {
    const { kind, field, row, sample } = one
    const bare = without(one)

    it('keeps its live value as long as no version of the document has set it', () =>
      withStack(async (stack) => {
        const { service, processor } = stack
        await service.push(bare, nobody)
        const before = await liveOf(stack, kind)
        const value = canonicalOf(one, documentOf(one, sample.second))
        await processor.perform(
          row.mutability === 'attached'
            ? await attachStep(stack, before.processorId)
            : {
                op: 'update',
                kind,
                configId: configId(sampleIds[kind]),
                processorId: before.processorId,
                set: { [field]: value },
                unset: [],
                mark: false,
                activate: false,
              },
          { idempotencyKey: `dashboard-${field}`, signal: AbortSignal.timeout(10_000) },
        )
        expect((await service.push(bare, nobody)).status).toBe('unchanged')
        expect((await service.drift()).inSync).toBe(true)
        const after = valueOf(await liveOf(stack, kind), field)
        if (row.mutability === 'attached') expect(after).toHaveLength(1)
        else expect(after).toEqual(value)
      }))
  },
)
