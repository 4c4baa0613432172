// The working memory of planChanges: everything it looks up and everything it has decided so far.
import type { BillingConfig } from '../config/schema.ts'
import { webhookId } from '../config/ids.ts'
import type { IssueCode } from '../errors/codes.ts'
import { pointerOf } from '../errors/issue.ts'
import type { Issue } from '../errors/issue.ts'
import type { Difference } from './compare.ts'
import { desiredCatalog, emptyCatalog } from './desired.ts'
import { displayOf } from './display.ts'
import { documentName, documentValue, referenceEntries, referenceFields } from './document-fields.ts'
import { ownershipOf } from './observed.ts'
import type { Ownership } from './observed.ts'
import type { Change, FieldChange, PlanInput } from './plan.ts'
import { processorId, resourceKinds } from './resource.ts'
import { ResourceMap } from './resource-map.ts'
import type { Catalog, ConfigId, DesiredResource, FieldsOf, ProcessorId, ResourceKind } from './resource.ts'
import type { ArchiveStep, Step } from './steps.ts'

/** Stands for the id of an object that is yet to be made; equal to no real id. */
const unborn = '\u0000new:'

/** A change under construction: `because` may still grow. */
export interface Draft {
  action: Change['action']
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly home: 'processor' | 'local'
  because: FieldChange[]
  readonly before: ProcessorId | null
  readonly after: ProcessorId | null
  readonly reused: boolean
  readonly reason: 'removed' | 'stray'
}

export interface PlanContext {
  readonly input: PlanInput
  readonly desired: Catalog
  readonly previous: Catalog
  readonly own: Ownership
  readonly wanted: ResourceMap<DesiredResource>
  readonly known: ResourceMap<DesiredResource>
  readonly drafts: ResourceMap<Draft>
  readonly strays: Draft[]
  /** What each wanted resource will be: a processor id, or null while it is to be made. Absent when the plan refuses it. */
  readonly outcomes: ResourceMap<ProcessorId | null>
  /** Objects that stay or come back, and objects whose archive step is planned already. */
  readonly settled: ResourceMap<true>
  /** Ids that this plan gives to new products and coupons. */
  readonly chosenIds: ResourceMap<true>
  readonly forward: Step[]
  /** Fields with their references resolved, each worked out once. */
  readonly resolved: Readonly<Record<'want' | 'last', Map<DesiredResource, unknown>>>
  readonly archives: Record<ResourceKind, ArchiveStep[]>
  readonly issues: Issue[]
}

export function createContext(input: PlanInput): PlanContext {
  const desired = desiredCatalog(input.config)
  const previous = input.previous === null ? emptyCatalog : desiredCatalog(input.previous)
  return {
    input,
    desired,
    previous,
    own: ownershipOf(input.snapshot, input.mappings),
    wanted: indexOf(desired),
    known: indexOf(previous),
    drafts: new ResourceMap(),
    strays: [],
    outcomes: new ResourceMap(),
    settled: new ResourceMap(),
    chosenIds: new ResourceMap(),
    forward: [],
    resolved: { want: new Map(), last: new Map() },
    archives: { meter: [], product: [], price: [], coupon: [], promotion_code: [], webhook: [] },
    issues: [],
  }
}

function indexOf(catalog: Catalog): ResourceMap<DesiredResource> {
  const index = new ResourceMap<DesiredResource>()
  for (const kind of resourceKinds)
    for (const resource of catalog[kind] as readonly DesiredResource[]) index.set(kind, resource.configId, resource)
  return index
}

/** The wanted fields with references as processor ids; what is yet to be made equals nothing. Asked once references are decided. */
export function wantedFields<K extends ResourceKind>(
  context: PlanContext,
  resource: DesiredResource<K>,
): FieldsOf<K, ProcessorId> {
  return remembered(context, resource, 'want', (kind, id) => context.outcomes.get(kind, id) ?? null)
}

/** What was applied last, references as they are mapped now; null when the resource was not in the last version. */
export function lastFields<K extends ResourceKind>(
  context: PlanContext,
  kind: K,
  id: ConfigId,
): FieldsOf<K, ProcessorId> | null {
  const last = context.known.get(kind, id) as DesiredResource<K> | undefined
  if (last === undefined || last.home === 'local') return null
  return remembered(context, last, 'last', (of, name) => context.own.currentOf(of, name))
}

function remembered<K extends ResourceKind>(
  context: PlanContext,
  resource: DesiredResource<K>,
  side: 'want' | 'last',
  resolve: (kind: ResourceKind, id: ConfigId) => ProcessorId | null,
): FieldsOf<K, ProcessorId> {
  const memory = context.resolved[side]
  const known = memory.get(resource)
  if (known !== undefined) return known as FieldsOf<K, ProcessorId>
  const result: Record<string, unknown> = { ...resource.fields }
  const refer = (kind: ResourceKind, id: ConfigId) => resolve(kind, id) ?? processorId(unborn + id)
  for (const [field, of] of referenceEntries[resource.kind]) {
    const value = result[field]
    if (Array.isArray(value)) result[field] = (value as ConfigId[]).map((id) => refer(of, id)).sort()
    else if (typeof value === 'string') result[field] = refer(of, value as ConfigId)
  }
  memory.set(resource, result)
  return result as unknown as FieldsOf<K, ProcessorId>
}

/** A difference in the document's words; references as configuration ids where they are ours. */
export function fieldChange(context: PlanContext, kind: ResourceKind, difference: Difference): FieldChange {
  const of = referenceFields[kind]?.[difference.field]
  const readable = (value: unknown): unknown =>
    of === undefined
      ? documentValue(difference.field, value)
      : Array.isArray(value)
        ? value.map((id: string) => readableReference(context, of, id))
        : documentValue(difference.field, typeof value === 'string' ? readableReference(context, of, value) : value)
  return {
    field: documentName(difference.field, difference.want, difference.live),
    before: readable(difference.live),
    after: readable(difference.want),
    origin: difference.origin,
  }
}

function readableReference(context: PlanContext, kind: ResourceKind, id: string): string {
  if (id.startsWith(unborn)) return id.slice(unborn.length)
  return context.own.ownerOf(kind, id as ProcessorId) ?? id
}

export function refuse(
  context: PlanContext,
  resource: { readonly kind: ResourceKind; readonly configId: ConfigId },
  code: IssueCode,
  detail: string,
  hint: string,
  field?: string,
): void {
  context.issues.push({
    code,
    pointer: placeOf(context.input.config, resource.kind, resource.configId, field),
    severity: 'error',
    detail,
    hint,
  })
}

export function warn(
  context: PlanContext,
  resource: { readonly kind: ResourceKind; readonly configId: ConfigId },
  code: IssueCode,
  detail: string,
  hint: string,
): void {
  context.issues.push({
    code,
    pointer: placeOf(context.input.config, resource.kind, resource.configId),
    severity: 'warning',
    detail,
    hint,
  })
}

/** JSON pointer of a resource in the document. */
export function placeOf(config: BillingConfig, kind: ResourceKind, id: string, field?: string): string {
  const tail = field === undefined ? [] : [field]
  const at = (list: string, index: number) => (index < 0 ? '#' : pointerOf([list, index, ...tail]))
  switch (kind) {
    case 'meter':
      return at(
        'meters',
        (config.meters ?? []).findIndex((meter) => meter.id === id),
      )
    case 'product':
      return at(
        'products',
        config.products.findIndex((product) => product.id === id),
      )
    case 'price': {
      for (const [index, product] of config.products.entries()) {
        const found = (product.prices ?? []).findIndex((price) => price.id === id)
        if (found >= 0) return pointerOf(['products', index, 'prices', found, ...tail])
      }
      return '#'
    }
    case 'coupon':
      return at(
        'coupons',
        (config.coupons ?? []).findIndex((coupon) => coupon.id === id),
      )
    case 'promotion_code':
      return at(
        'promotion_codes',
        (config.promotion_codes ?? []).findIndex((code) => code.id === id),
      )
    case 'webhook':
      return at(
        'webhooks',
        (config.webhooks ?? []).findIndex((webhook) => webhookId(webhook) === id),
      )
  }
}

/** The drafts as the plan's changes: kinds in creation order, ids in document order, what is removed as in the earlier document. */
export function changesOf(context: PlanContext): Change[] {
  const before = displayOf(context.input.previous)
  const after = displayOf(context.input.config)
  const toChange = (draft: Draft): Change => {
    const base = {
      kind: draft.kind,
      configId: draft.configId,
      home: draft.home,
      because: draft.because,
      processorIdBefore: draft.before,
      processorIdAfter: draft.after,
      display: {
        before: draft.action === 'keep' ? null : before(draft.kind, draft.configId),
        after: draft.action === 'keep' || draft.action === 'archive' ? null : after(draft.kind, draft.configId),
      },
    }
    if (draft.action === 'replace') return { ...base, action: 'replace', reused: draft.reused }
    if (draft.action === 'archive') return { ...base, action: 'archive', reason: draft.reason }
    return { ...base, action: draft.action }
  }
  const changes: Change[] = []
  for (const kind of resourceKinds) {
    const tell = ({ configId }: { readonly configId: ConfigId }): void => {
      const draft = context.drafts.get(kind, configId)
      if (draft !== undefined) changes.push(toChange(draft))
    }
    context.desired[kind].forEach(tell)
    for (const removed of context.previous[kind]) if (!context.wanted.has(kind, removed.configId)) tell(removed)
  }
  return [...changes, ...context.strays.map(toChange)]
}
