// Read-only input of the planner's decisions: the document, the previous document, the live objects, and the decisions so far. Only
// `planChanges` records decisions.
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

/** Prefix of the placeholder id of an object that is still to be created. No real id starts with it. */
const unborn = '\u0000new:'

/** Decisions made so far. */
export interface Decisions {
  /**
   * The object that each desired resource will be mapped to: a processor id, or null if it is to be created. No entry if the plan refuses
   * the resource.
   */
  readonly outcomes: ReadonlyResourceMap<ProcessorId | null>
  readonly changes: ReadonlyResourceMap<PlannedChange>
  /** Objects that no later decision may archive: kept or reactivated objects, and objects whose archive step is already planned. */
  readonly settled: ReadonlyResourceMap<true>
  /** Ids that the plan chose for new products and coupons. `chosenFor` contains the same ids by configuration id. */
  readonly chosenIds: ReadonlyResourceMap<true>
  readonly chosenFor: ReadonlyResourceMap<ProcessorId>
  readonly steps: readonly Step[]
}

export interface PlanState extends Decisions {
  /** If true, the plan overwrites drift of immutable fields (e.g. an amount). Otherwise such drift makes the plan fail. */
  readonly force: boolean
  /** Old endpoints of replaced webhooks, which receive events beside their successors for a grace period. */
  readonly retiring: ReadonlySet<ProcessorId>
  /** Objects that an unfinished push of Ratecard switched off. Their state is not drift. */
  readonly stopped: ReadonlySet<ProcessorId>
  readonly renames: readonly Rename[]
  readonly desired: Catalog
  readonly previous: Catalog
  readonly own: Ownership
  /** Desired resources by id: `wanted` those of the new document, `known` those of the last applied one. */
  readonly wanted: ReadonlyResourceMap<DesiredResource>
  readonly known: ReadonlyResourceMap<DesiredResource>
  /** Returns the resources of the last version that the document no longer contains, in the order of the last version. */
  removed(kind: ResourceKind): readonly DesiredResource[]
  /**
   * Returns the desired fields with references as processor ids. A reference to an object that is still to be created becomes a placeholder
   * that equals no live value. Call it after the referenced kinds are decided.
   */
  wantedFields<K extends ResourceKind>(resource: DesiredResource<K>): FieldsOf<K, ProcessorId>
  /**
   * Returns the last applied fields, with references as processor ids by the current mapping; null if the last version did not contain the
   * resource.
   */
  lastFields<K extends ResourceKind>(kind: K, id: ConfigId): FieldsOf<K, ProcessorId> | null
  /** Returns the earlier id that this id takes over; undefined if the item is not renamed. */
  formerId(kind: ResourceKind, id: ConfigId): ConfigId | undefined
  /** Returns the display lines before and after the change. The first is null for a new resource, the second for a removed one. */
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

/** True if both catalogs contain the same resource objects (compared by identity). */
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
 * The fields of one resource with references as processor ids. Only the last result is cached, because callers process one resource after
 * the other.
 */
interface ResolvedFields {
  readonly of: DesiredResource
  readonly fields: object
}

/**
 * Converts the references of a resource to processor ids. `beside` is an earlier result: its `fields` are reused if the resource and all
 * its processor ids are the same.
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

/** Converts a difference to the document's form. References to owned objects become configuration ids. */
export function fieldChange(state: PlanState, kind: ResourceKind, difference: Difference): FieldChange {
  const of = rowOf(kind, difference.field)?.reference ?? null
  const readable = (value: unknown): unknown => {
    if (of === null) return documentValue(kind, difference.field, value)
    // The order of referenced ids has no meaning. They are sorted by readable id, because processor ids differ between runs.
    if (Array.isArray(value)) return value.map((id: string) => readableReference(state, of, id)).sort()
    return typeof value === 'string' && value !== '' ? readableReference(state, of, value) : undefined
  }
  const { live, want } = difference
  const [before, after] = [readable(live), readable(want)]
  // True if the referenced object was deleted at the processor and is re-created under the same config id. Without this, the change would
  // show equal values before and after.
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

/** Returns the author's edits since the last applied version: of fields that the processor stores, and of local fields. */
export function editsSince<K extends ResourceKind>(state: PlanState, want: DesiredResource<K>): readonly FieldChange[] {
  const known = state.known.get(want.kind, want.configId) as DesiredResource<K> | undefined
  if (known === undefined || known === want) return noChanges
  const [before, after] = [known.fields as FieldsOf<K, never>, want.fields as FieldsOf<K, never>]
  return [
    ...differences(want.kind, after, before, before).map((difference) => fieldChange(state, want.kind, difference)),
    ...ourEdits(state, want),
  ]
}

/** Returns the `id` change of a renamed resource, which plans list first. Empty if the resource is not renamed. */
export function renamedFrom(state: PlanState, { kind, configId }: Subject): readonly FieldChange[] {
  const before = state.formerId(kind, configId)
  return before === undefined ? noChanges : [{ field: 'id', before, after: configId, origin: 'edit' }]
}

/** Returns the edits of local fields, which need no write at the processor. */
export function ourEdits(state: PlanState, want: DesiredResource): readonly FieldChange[] {
  const known = state.known.get(want.kind, want.configId)
  if (known === undefined || known === want || same(want.ours, known.ours)) return noChanges
  return [...new Set([...Object.keys(want.ours), ...Object.keys(known.ours)])]
    .filter((field) => !same(want.ours[field], known.ours[field]))
    .map((field) => ({ field, before: known.ours[field], after: want.ours[field], origin: 'edit' as const }))
}

type Subject = { readonly kind: ResourceKind; readonly configId: ConfigId }

/** Returns an issue of severity error, which makes the plan impossible to apply. */
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

/** Returns an issue of severity warning, which does not stop the plan. */
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
