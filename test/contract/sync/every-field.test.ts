// Laws over the tables of fields: what each field does when it is edited, removed, and when the document never spoke of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fieldRows, documentName } from '../../../packages/ratecard/src/catalog/fields/tables.ts'
import { itemsOf } from '../../../packages/ratecard/src/catalog/kinds.ts'
import { configId, resourceKinds } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { ObservedResource, ResourceKind } from '../../../packages/ratecard/src/catalog/resource.ts'
import { systemClock } from '../../../packages/ratecard/src/clock.ts'
import { validateConfig } from '../../../packages/ratecard/src/config/validation/validate.ts'
import type { BillingConfig as Document } from '../../../packages/ratecard/src/config/document/schema.ts'
import { ServiceError } from '../../../packages/ratecard/src/errors/service-error.ts'
import { startSandbox } from '../../../packages/sandbox/src/server.ts'
import type { Sandbox } from '../../../packages/sandbox/src/server.ts'
import { fieldSamples, sampleDocument, sampleIds } from '../../support/field-samples.ts'
import type { Sample } from '../../support/field-samples.ts'
import { nobody, startStack } from '../../support/stack.ts'
import type { Stack } from '../../support/stack.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
})
afterAll(() => sandbox.close())

async function withStack(work: (stack: Stack) => Promise<void>): Promise<void> {
  const stack = await startStack({ sandbox })
  try {
    await work(stack)
  } finally {
    await stack.close()
  }
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

const valueOf = (live: ObservedResource, field: string) => (live.fields as unknown as Record<string, unknown>)[field]

/** Edits in these fields make a new object although the table says that the processor changes them, and why. */
const replacedWhenRemoved = new Set(['coupon.name', 'price.taxBehavior'])

describe.each(cases)('the $kind’s $field', ({ kind, field, row, sample }) => {
  const document = (members: object) => sampleDocument(kind, { ...sample.beside, ...members })
  const canonicalOf = (config: Document): unknown => {
    const placed = itemsOf(config, kind).find(({ item }) => item.id === sampleIds[kind])
    return row.canonical(placed?.item as never, placed?.product as never)
  }
  const without = Object.fromEntries(row.members.map((member) => [member, undefined]))

  it('is changed in place, or its object replaced, as the table says; nothing is left to do afterwards', () =>
    withStack(async (stack) => {
      const { service } = stack
      const [first, second] = [document(sample.first), document(sample.second)]
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

  const bare = document(without)
  it.runIf(row.members.length > 0 && validateConfig(bare).errors.length === 0)(
    'that the document leaves out again is emptied',
    () =>
      withStack(async (stack) => {
        const { service } = stack
        const said = document(sample.second)
        await service.push(said, nobody)
        const before = await liveOf(stack, kind)
        if (kind === 'product' && row.mutability === 'fixed') return
        await service.push(bare, nobody)
        const after = await liveOf(stack, kind)
        expect(valueOf(after, field)).toEqual(canonicalOf(bare))
        if (row.mutability !== 'fixed' && !replacedWhenRemoved.has(`${kind}.${field}`))
          expect(after.processorId).toBe(before.processorId)
        expect((await service.push(bare, nobody)).status).toBe('unchanged')
      }),
  )

  it.runIf(row.leftOut === 'unmanaged')('that the document never had is left alone', () =>
    withStack(async (stack) => {
      const { service, processor } = stack
      await service.push(bare, nobody)
      const before = await liveOf(stack, kind)
      const value = canonicalOf(document(sample.second))
      await processor.perform(
        {
          op: 'update',
          kind,
          configId: configId(sampleIds[kind]),
          processorId: before.processorId,
          set: { [field]: value },
          unset: [],
          mark: false,
          claimLookupKey: false,
          activate: false,
        },
        { idempotencyKey: `dashboard-${field}`, signal: AbortSignal.timeout(10_000) },
      )
      expect((await service.push(bare, nobody)).status).toBe('unchanged')
      expect((await service.drift()).inSync).toBe(true)
      expect(valueOf(await liveOf(stack, kind), field)).toEqual(value)
    }),
  )
})
