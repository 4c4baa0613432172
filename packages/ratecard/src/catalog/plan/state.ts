// Read-only input of the planner's decisions: the document, the previous document, the live objects, and the decisions so far. Only
// `planChanges` records decisions.
import { maxMetadataKeys } from '../../document/schema/fields.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { IssueCode } from '../../base/errors/codes.ts'
import type { Issue, Severity } from '../../base/errors/issue.ts'
import type { PlannedChange, FieldChange } from '../change.ts'
import { displayOf } from '../display.ts'
import { differences, deepEqual, type Difference } from '../fields/differences.ts'
import { referTo, type AnyField } from '../fields/field.ts'
import { documentName, documentValue, referringRows, rowOf, type FieldsOf } from '../fields/tables.ts'
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
   * The object that each desired resource will be mapped to: a processor id, or null if the object is still to be created. A resource that
   * the plan refuses has no entry.
   */
  readonly outcomes: ReadonlyResourceMap<ProcessorId | null>
  readonly changes: ReadonlyResourceMap<PlannedChange>
  /** Objects that no later decision may archive: kept or reactivated objects, and objects whose archive step is already planned. */
  readonly settled: ReadonlyResourceMap<true>
  /** All ids that the plan chose for new products and coupons. `chosenFor` contains the same ids by configuration id. */
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
  /** Desired resources by id. `wanted` has those of the new document, `known` those of the last applied one. */
  readonly wanted: ReadonlyResourceMap<DesiredResource>
  readonly known: ReadonlyResourceMap<DesiredResource>
  /** Returns the resources of the last version that the document no longer contains, in the order of the last version. */
  removed(kind: ResourceKind): readonly DesiredResource[]
  /**
   * Returns the desired fields with processor ids as references. If a referenced object is still to be created, the reference is a
   * placeholder that equals no live value. Call this after the referenced kinds are decided.
   */
  wantedFields<K extends ResourceKind>(resource: DesiredResource<K>): FieldsOf<K, ProcessorId>
  /**
   * Returns the fields as last applied, with references as processor ids by the current mapping. null if the last version did not contain
   * the resource.
   */
  lastFields<K extends ResourceKind>(kind: K, id: ConfigId): FieldsOf<K, ProcessorId> | null
  /** Returns the former id that becomes this id; undefined if the item is not renamed. */
  formerId(kind: ResourceKind, id: ConfigId): ConfigId | undefined
  /** Returns the display line before and the one after the change. The first is null for a new resource, the second for a removed one. */
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
      if (asked?.of !== resource)
        asked = resolveReferences(resource, (kind, id) => decided.outcomes.get(kind, id) ?? null)
      return asked.fields as FieldsOf<K, ProcessorId>
    },
    lastFields: <K extends ResourceKind>(kind: K, id: ConfigId) => {
      const last = known.get(kind, id)
      if (last === undefined || last.home === 'local') return null
      if (askedLast?.of !== last) askedLast = resolveReferences(last, (of, name) => own.currentOf(of, name), asked)
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

/** True if both catalogs contain the same resource objects (`===`). */
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
 * Cached fields of one resource, with processor ids as references. Only the last result is cached, because callers process one resource
 * after the other.
 */
interface ResolvedFields {
  readonly of: DesiredResource
  readonly fields: object
}

/**
 * Converts the references of a resource to processor ids. `beside` is an earlier result: its `fields` are reused if the resource and all
 * its processor ids are the same.
 */
function resolveReferences(
  resource: DesiredResource,
  resolve: (kind: ResourceKind, id: ConfigId) => ProcessorId | null,
  beside?: ResolvedFields,
): ResolvedFields {
  const said = resource.fields as Readonly<Record<string, unknown>>
  const base = beside?.of === resource ? (beside.fields as Readonly<Record<string, unknown>>) : said
  const refer = (kind: ResourceKind, id: ConfigId) => resolve(kind, id) ?? processorId(unborn + id)
  let fields: Record<string, unknown> | undefined
  for (const [field, row] of referringRows[resource.kind]) {
    const meant = referTo(row, said[field], (kind, id) => refer(kind, id as ConfigId))
    if (!deepEqual(meant, base[field])) (fields ??= { ...base })[field] = meant
  }
  return { of: resource, fields: fields ?? base }
}

/** Converts a difference to the document's form. References to objects of the configuration become configuration ids. */
export function fieldChange(state: PlanState, kind: ResourceKind, difference: Difference): FieldChange {
  const row = rowOf(kind, difference.field)
  if (row?.refer !== undefined) return referringChange(state, kind, row, difference)
  const of = row?.reference ?? null
  const readable = (value: unknown): unknown => {
    if (of === null) return documentValue(kind, difference.field, value)
    // References are sorted by readable id, because their order has no meaning and processor ids differ between runs.
    if (Array.isArray(value)) return value.map((id: string) => readableReference(state, of, id)).sort()
    return typeof value === 'string' && value !== '' ? readableReference(state, of, value) : undefined
  }
  const { live, want } = difference
  const [before, after] = [readable(live), readable(want)]
  // True if the referenced object was deleted at the processor and is re-created under the same config id. Then `before` is left out,
  // because it would equal `after`.
  const deleted =
    of !== null && before === after && typeof live === 'string' && state.own.find(of, live as ProcessorId) === null
  return {
    field: documentName(kind, difference.field, want, live),
    before: deleted ? undefined : before,
    after,
    origin: difference.origin,
  }
}

/**
 * Like `fieldChange`, for a value with ids in nested objects. If only processor objects were replaced, the configuration ids are the same
 * before and after the change. Then the earlier value is shown with processor ids, so that the change is visible.
 */
function referringChange(state: PlanState, kind: ResourceKind, row: AnyField, difference: Difference): FieldChange {
  const { field, live, want, origin } = difference
  const readable = (value: unknown) =>
    documentValue(
      kind,
      field,
      referTo(row, value, (of, id) => readableReference(state, of, id)),
    )
  const [before, after] = [readable(live), readable(want)]
  return {
    field: documentName(kind, field, want, live),
    before: deepEqual(before, after) ? documentValue(kind, field, live) : before,
    after,
    origin,
  }
}

function readableReference(state: PlanState, kind: ResourceKind, id: string): string {
  if (id.startsWith(unborn)) return id.slice(unborn.length)
  return state.own.ownerOf(kind, id as ProcessorId) ?? id
}

const noChanges: readonly FieldChange[] = []

/** Returns the author's edits since the last applied version, of fields that the processor stores and of local fields. */
export function editsSince<K extends ResourceKind>(state: PlanState, want: DesiredResource<K>): readonly FieldChange[] {
  const known = state.known.get(want.kind, want.configId) as DesiredResource<K> | undefined
  if (known === undefined || known === want) return noChanges
  const [before, after] = [known.fields as FieldsOf<K, never>, want.fields as FieldsOf<K, never>]
  return [
    ...differences(want.kind, after, before, before).map((difference) => fieldChange(state, want.kind, difference)),
    ...ourEdits(state, want),
  ]
}

/** Returns the change of the member `id` of a renamed resource. Plans list it first. Empty if the resource is not renamed. */
export function renamedFrom(state: PlanState, { kind, configId }: Subject): readonly FieldChange[] {
  const before = state.formerId(kind, configId)
  return before === undefined ? noChanges : [{ field: 'id', before, after: configId, origin: 'edit' }]
}

/** Returns the edits of local fields, which need no write at the processor. */
export function ourEdits(state: PlanState, want: DesiredResource): readonly FieldChange[] {
  const known = state.known.get(want.kind, want.configId)
  if (known === undefined || known === want || deepEqual(want.ours, known.ours)) return noChanges
  return [...new Set([...Object.keys(want.ours), ...Object.keys(known.ours)])]
    .filter((field) => !deepEqual(want.ours[field], known.ours[field]))
    .map((field) => ({ field, before: known.ours[field], after: want.ours[field], origin: 'edit' as const }))
}

type Subject = { readonly kind: ResourceKind; readonly configId: ConfigId }

/** Returns an issue of severity error, which makes the plan impossible to apply. */
export function planError(
  state: PlanState,
  about: Subject,
  code: IssueCode,
  detail: string,
  hint: string,
  field?: string,
): Issue {
  return planIssue(state, about, 'error', code, detail, hint, field)
}

/**
 * Warns that the object has as many metadata keys as the processor allows, so there is no room for the ownership mark, and only the store
 * knows that Ratecard owns it.
 */
export function noRoomForMark(state: PlanState, about: Subject): Issue {
  return planWarning(
    state,
    about,
    'no_room_for_mark',
    `The ${about.kind.replace('_', ' ')} "${about.configId}" has ${String(maxMetadataKeys)} metadata keys, so Ratecard cannot add its own. Only the store records that the object belongs to this configuration.`,
    'Remove one metadata key, or keep backups of the store.',
  )
}

/** Returns an issue of severity warning, which does not stop the plan. */
export function planWarning(state: PlanState, about: Subject, code: IssueCode, detail: string, hint: string): Issue {
  return planIssue(state, about, 'warning', code, detail, hint)
}

function planIssue(
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
