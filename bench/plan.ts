import { desiredCatalog } from '../packages/ratecard/src/catalog/desired.ts'
import { references } from '../packages/ratecard/src/catalog/fields/tables.ts'
import { planChanges } from '../packages/ratecard/src/catalog/plan/plan-changes.ts'
import { processorId, resourceKinds } from '../packages/ratecard/src/catalog/resource.ts'
import type {
  DesiredResource,
  FieldsOf,
  MappingEntry,
  ObservedResource,
  ProcessorId,
  ResourceKind,
  Snapshot,
} from '../packages/ratecard/src/catalog/resource.ts'
import type { BillingConfig } from '../packages/ratecard/src/document/schema/schema.ts'
import { documentOf } from './support/catalogue.ts'
import { cpuMs, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'

/** Id of the object at the processor, different from its configuration id. */
const liveId = (id: string) => processorId(`live_${id}`)

function observe<K extends ResourceKind>(resource: DesiredResource<K>): ObservedResource<K> {
  const fields = structuredClone(resource.fields) as unknown as Record<string, unknown>
  for (const [field] of references[resource.kind]) {
    const value = fields[field]
    if (typeof value === 'string') fields[field] = liveId(value)
  }
  return {
    kind: resource.kind,
    processorId: liveId(resource.configId),
    active: true,
    fields: fields as unknown as FieldsOf<K, ProcessorId>,
    mark: resource.configId,
    created: 1_767_225_600,
    companions: 0,
    attachments: {},
    redeemed: 0,
    carried: 0,
    spent: false,
    unrepresentable: [],
    unsaid: [],
    carriable: [],
    raw: {},
  }
}

function liveState(config: BillingConfig): Snapshot {
  const catalog = desiredCatalog(config)
  const listed = (kind: ResourceKind): readonly DesiredResource[] => catalog[kind]
  const lists = resourceKinds.map((kind) => [kind, listed(kind).map((resource) => observe(resource))] as const)
  return Object.fromEntries(lists) as unknown as Snapshot
}

function mappingsOf(config: BillingConfig): MappingEntry[] {
  return Object.values(desiredCatalog(config))
    .flat()
    .map(({ kind, configId }: DesiredResource, index) => ({
      kind,
      configId,
      processorId: liveId(configId),
      sequence: index + 1,
      revision: 1,
    }))
}

/** Time of the plan relative to JSON.parse of the same document: the computation of a push relative to reading its file. */
export function benchPlan({ quick }: BenchOptions): BenchResult[] {
  const config = documentOf(quick ? 100 : 1_000, 5)
  const text = JSON.stringify(config)
  const snapshot = liveState(config)
  const empty = Object.fromEntries(resourceKinds.map((kind) => [kind, []])) as unknown as Snapshot
  const times = quick ? 20 : 25

  // The previous version is a separate, equal object, because a push reads it from the store.
  const previous = JSON.parse(text) as BillingConfig
  const applied = { config, previous, snapshot, mappings: mappingsOf(config) }
  const unchanged = planChanges(applied)
  if (unchanged.changes.some((change) => change.action !== 'keep'))
    throw new Error('the plan of an unchanged document has changes')

  const parse = cpuMs(times, () => JSON.parse(text) as unknown)
  const again = cpuMs(times, () => planChanges(applied))
  const first = cpuMs(times, () => planChanges({ config, previous: null, snapshot: empty, mappings: [] }))
  const size = `${config.products.length.toLocaleString('en')} products × 5 prices`
  const result = (name: string, ours: number): BenchResult => ({
    name,
    ours: milliseconds(ours),
    yardstick: `JSON.parse ${milliseconds(parse)}`,
    ratio: `${(ours / parse).toFixed(1)}×`,
    aim: '< 10×',
    met: ours / parse < 10,
  })
  return [result(`plan of ${size}, nothing changed`, again), result(`plan of ${size}, first push`, first)]
}
