// Read-only input of the decisions: the document, the previous one, the live objects, and the decisions so far. Only `planChanges` records
// a decision.
import type { BillingConfig } from '../../config/schema/schema.ts'
import type { IssueCode } from '../../errors/codes.ts'
import type { Issue, Severity } from '../../errors/issue.ts'
import type { PlannedChange, FieldChange } from '../change.ts'
import { displayOf } from '../display.ts'
import { differences, same, type Difference } from '../fields/differences.ts'
import { documentName, documentValue, references, rowOf, type FieldsOf } from '../fields/tables.ts'
import { processorId, resourceKinds, type ConfigId, type ProcessorId, type ResourceKind } from '../kinds.ts'
import type { Ownership } from '../observed.ts'
import type { Rename } from '../renames.ts'
import { placesOf, type PlaceOf } from '../places.ts'
import { ResourceMap, type ReadonlyResourceMap } from '../resource-map.ts'
import type { Catalog, DesiredResource } from '../resource.ts'
import type { Step } from '../steps.ts'

/** Placeholder prefix for the id of an object that is still to be created; equal to no real id. */
const unborn = '\u0000new:'

/** Decisions made so far. */
export interface Decisions {
  /** The object of each desired resource: a processor id, or null if it is to be created. Absent if the plan refuses the resource. */
  readonly outcomes: ReadonlyResourceMap<ProcessorId | null>
  readonly changes: ReadonlyResourceMap<PlannedChange>
  /** Objects that are kept or reactivated, and objects whose archive step is already planned. */
  readonly settled: ReadonlyResourceMap<true>
  /** Ids that this plan assigns to new products and coupons; `chosenFor` holds them by configuration id. */
  readonly chosenIds: ReadonlyResourceMap<true>
  readonly chosenFor: ReadonlyResourceMap<ProcessorId>
  readonly steps: readonly Step[]
}

export interface PlanState extends Decisions {
  /** Overwrites drift of immutable fields (e.g. an amount) instead of refusing the plan. */
  readonly force: boolean
  /** Old endpoints of replaced webhooks that stay live beside their successors for a grace period. */
  readonly retiring: ReadonlySet<ProcessorId>
  /** Objects that an unfinished push of Ratecard switched off. */
  readonly stopped: ReadonlySet<ProcessorId>
  readonly renames: readonly Rename[]
  readonly desired: Catalog
  readonly previous: Catalog
  readonly own: Ownership
  /** The desired and the previous resources by id. */
  readonly wanted: ReadonlyResourceMap<DesiredResource>
  readonly known: ReadonlyResourceMap<DesiredResource>
  /** Resources of the last version that the document no longer contains, in the order of that version. */
  removed(kind: ResourceKind): readonly DesiredResource[]
  /**
   * Desired fields with references as processor ids; a reference to an object that is still to be created equals no live value. Valid once
   * the referenced kinds are decided.
   */
  wantedFields<K extends ResourceKind>(resource: DesiredResource<K>): FieldsOf<K, ProcessorId>
  /** Last applied fields, with references resolved by the current mapping; null if the resource was not in the last version. */
  lastFields<K extends ResourceKind>(kind: K, id: ConfigId): FieldsOf<K, ProcessorId> | null
  /** The earlier id that this one takes over; undefined if it is no rename. */
  formerId(kind: ResourceKind, id: ConfigId): ConfigId | undefined
  /** Display lines before and after the change; null for a missing side. */
  display(action: PlannedChange['action'], kind: ResourceKind, id: ConfigId): PlannedChange['display']
  readonly placeOf: PlaceOf
}

const nothingToShow: PlannedChange['display'] = { before: null, after: null }

export function planState(
  documents: { readonly config: BillingConfig; readonly previous: BillingConfig | null },
  catalogs: Pick<PlanState, 'desired' | 'previous' | 'own' | 'force' | 'stopped' | 'retiring' | 'renames'>,
  decided: Decisions,
): PlanState {
  const { desired, previous, own } = catalogs
  const wanted = indexOf(desired)
  const known = sameCatalog(desired, previous) ? wanted : indexOf(previous)
  const [before, after] = [displayOf(documents.previous), displayOf(documents.config)]
  let [asked, askedLast]: (ResolvedFields | undefined)[] = []
  const former = new ResourceMap<Rename>()
  for (const rename of catalogs.renames)
    if (rename.continues || !former.has(rename.kind, rename.to)) former.set(rename.kind, rename.to, rename)
  const formerId = (kind: ResourceKind, id: ConfigId) => former.get(kind, id)?.from
  const idBefore = (kind: ResourceKind, id: ConfigId) => {
    const rename = former.get(kind, id)
    return rename?.continues === true ? rename.from : id
  }
  const removed = (kind: ResourceKind) =>
    (previous[kind] as readonly DesiredResource[]).filter(({ configId }) => !wanted.has(kind, configId))
  const removedOf = new Map(known === wanted ? [] : resourceKinds.map((kind) => [kind, removed(kind)]))
  return {
    ...catalogs,
    ...decided,
    wanted,
    removed: (kind) => removedOf.get(kind) ?? [],
    known,
    wantedFields: <K extends ResourceKind>(resource: DesiredResource<K>) => {
      if (asked?.of !== resource) asked = resolved(resource, (kind, id) => decided.outcomes.get(kind, id) ?? null)
      return asked.fields as FieldsOf<K, ProcessorId>
    },
    lastFields: <K extends ResourceKind>(kind: K, id: ConfigId) => {
      const last = known.get(kind, id)
      if (last === undefined || last.home === 'local') return null
      if (askedLast?.of !== last) askedLast = resolved(last, (of, name) => own.currentOf(of, name), asked)
      return askedLast.fields as FieldsOf<K, ProcessorId>
    },
    formerId,
    display: (action, kind, id) =>
      action === 'keep'
        ? nothingToShow
        : { before: before(kind, idBefore(kind, id)), after: action === 'archive' ? null : after(kind, id) },
    placeOf: placesOf(documents.config),
  }
}

/** True if two catalogs contain identical resource objects (compared by reference). */
function sameCatalog(one: Catalog, other: Catalog): boolean {
  return resourceKinds.every(
    (kind) =>
      one[kind].length === other[kind].length && one[kind].every((resource, place) => resource === other[kind][place]),
  )
}

function indexOf(catalog: Catalog): ResourceMap<DesiredResource> {
  const index = new ResourceMap<DesiredResource>()
  for (const kind of resourceKinds)
    for (const resource of catalog[kind] as readonly DesiredResource[]) index.set(kind, resource.configId, resource)
  return index
}

/**
 * A resource's fields with references as processor ids. Used as a cache of the last result, because callers process one resource after the
 * other.
 */
interface ResolvedFields {
  readonly of: DesiredResource
  readonly fields: object
}

/**
 * Resolves the references of a resource. `beside`: an earlier result, whose `fields` object is reused if it belongs to the same resource
 * and every reference resolves to the same id.
 */
function resolved(
  resource: DesiredResource,
  resolve: (kind: ResourceKind, id: ConfigId) => ProcessorId | null,
  beside?: ResolvedFields,
): ResolvedFields {
  const said = resource.fields as Readonly<Record<string, unknown>>
  const base = beside?.of === resource ? (beside.fields as Readonly<Record<string, unknown>>) : said
  const refer = (kind: ResourceKind, id: ConfigId) => resolve(kind, id) ?? processorId(unborn + id)
  let fields: Record<string, unknown> | undefined
  for (const [field, kind] of references[resource.kind]) {
    const value = said[field]
    let meant: unknown = value
    if (Array.isArray(value)) meant = (value as ConfigId[]).map((id) => refer(kind, id)).sort()
    else if (typeof value === 'string') meant = refer(kind, value as ConfigId)
    if (!same(meant, base[field])) (fields ??= { ...base })[field] = meant
  }
  return { of: resource, fields: fields ?? base }
}

/** A difference in the document's form; references to owned objects as configuration ids. */
export function fieldChange(state: PlanState, kind: ResourceKind, difference: Difference): FieldChange {
  const of = rowOf(kind, difference.field)?.reference ?? null
  const readable = (value: unknown): unknown => {
    if (of === null) return documentValue(kind, difference.field, value)
    // Lists of references are sets. Sorted by readable id, because the order of processor ids is arbitrary and differs between runs.
    if (Array.isArray(value)) return value.map((id: string) => readableReference(state, of, id)).sort()
    return typeof value === 'string' && value !== '' ? readableReference(state, of, value) : undefined
  }
  const { live, want } = difference
  const [before, after] = [readable(live), readable(want)]
  // An object deleted at the processor is re-created under the same config id. Without this, the change would show equal values before and
  // after.
  const deleted =
    of !== null && before === after && typeof live === 'string' && state.own.find(of, live as ProcessorId) === null
  return {
    field: documentName(kind, difference.field, want, live),
    before: deleted ? undefined : before,
    after,
    origin: difference.origin,
  }
}

function readableReference(state: PlanState, kind: ResourceKind, id: string): string {
  if (id.startsWith(unborn)) return id.slice(unborn.length)
  return state.own.ownerOf(kind, id as ProcessorId) ?? id
}

const noChanges: readonly FieldChange[] = []

/** Edits of the author since the last applied version, both of processor fields and of local ones. */
export function editsSince<K extends ResourceKind>(state: PlanState, want: DesiredResource<K>): readonly FieldChange[] {
  const known = state.known.get(want.kind, want.configId) as DesiredResource<K> | undefined
  if (known === undefined || known === want) return noChanges
  const [before, after] = [known.fields as FieldsOf<K, never>, want.fields as FieldsOf<K, never>]
  return [
    ...differences(want.kind, after, before, before).map((difference) => fieldChange(state, want.kind, difference)),
    ...ourEdits(state, want),
  ]
}

/** The `id` change of a renamed resource, listed first; empty if it is no rename. */
export function renamedFrom(state: PlanState, { kind, configId }: Subject): readonly FieldChange[] {
  const before = state.formerId(kind, configId)
  return before === undefined ? noChanges : [{ field: 'id', before, after: configId, origin: 'edit' }]
}

/** Differences in local fields, which need no processor write. */
export function ourEdits(state: PlanState, want: DesiredResource): readonly FieldChange[] {
  const known = state.known.get(want.kind, want.configId)
  if (known === undefined || known === want || same(want.ours, known.ours)) return noChanges
  return [...new Set([...Object.keys(want.ours), ...Object.keys(known.ours)])]
    .filter((field) => !same(want.ours[field], known.ours[field]))
    .map((field) => ({ field, before: known.ours[field], after: want.ours[field], origin: 'edit' as const }))
}

type Subject = { readonly kind: ResourceKind; readonly configId: ConfigId }

/** An issue that makes the plan impossible (severity error). */
export function refusal(
  state: PlanState,
  about: Subject,
  code: IssueCode,
  detail: string,
  hint: string,
  field?: string,
): Issue {
  return issue(state, about, 'error', code, detail, hint, field)
}

/** An issue that needs attention but does not stop the plan (severity warning). */
export function caution(state: PlanState, about: Subject, code: IssueCode, detail: string, hint: string): Issue {
  return issue(state, about, 'warning', code, detail, hint)
}

function issue(
  state: PlanState,
  { kind, configId }: Subject,
  severity: Severity,
  code: IssueCode,
  detail: string,
  hint: string,
  field?: string,
): Issue {
  return { code, pointer: state.placeOf(kind, configId, field), severity, detail, hint }
}
