// What the decisions of a plan look at: the document, the last one, the live objects, and what was decided so far.
// Nothing here can be changed through it; planChanges alone writes down what is decided.
import type { BillingConfig } from '../../config/schema/schema.ts'
import type { IssueCode } from '../../errors/codes.ts'
import type { Issue, Severity } from '../../errors/issue.ts'
import type { PlannedChange, FieldChange } from '../change.ts'
import { displayOf } from '../display.ts'
import { differences, same } from '../fields/differences.ts'
import type { Difference } from '../fields/differences.ts'
import { documentName, documentValue, references, rowOf } from '../fields/tables.ts'
import type { FieldsOf } from '../fields/tables.ts'
import { processorId, resourceKinds } from '../kinds.ts'
import type { ConfigId, ProcessorId, ResourceKind } from '../kinds.ts'
import type { Ownership } from '../observed.ts'
import type { Rename } from '../renames.ts'
import { placesOf } from '../places.ts'
import type { PlaceOf } from '../places.ts'
import { ResourceMap } from '../resource-map.ts'
import type { ReadonlyResourceMap } from '../resource-map.ts'
import type { Catalog, DesiredResource } from '../resource.ts'
import type { Step } from '../steps.ts'

/** Stands for the id of an object that is yet to be made; equal to no real id. */
const unborn = '\u0000new:'

/** What was decided so far. */
export interface Decisions {
  /** What each wanted resource will be: a processor id, or null while it is to be made. Absent when the plan refuses it. */
  readonly outcomes: ReadonlyResourceMap<ProcessorId | null>
  readonly changes: ReadonlyResourceMap<PlannedChange>
  /** Objects that stay or come back, and objects whose archive step is planned already. */
  readonly settled: ReadonlyResourceMap<true>
  /** Ids that this plan gives to new products and coupons, and by configuration id the one that each gets. */
  readonly chosenIds: ReadonlyResourceMap<true>
  readonly chosenFor: ReadonlyResourceMap<ProcessorId>
  readonly steps: readonly Step[]
}

export interface PlanState extends Decisions {
  /** Overwrite money fields that were changed at the processor instead of refusing. */
  readonly force: boolean
  /** Endpoints of wanted webhooks that are kept live beside their successors for a while. */
  readonly retiring: ReadonlySet<ProcessorId>
  /** Objects that an unfinished push of ours switched off. */
  readonly stopped: ReadonlySet<ProcessorId>
  readonly renames: readonly Rename[]
  readonly desired: Catalog
  readonly previous: Catalog
  readonly own: Ownership
  /** The desired and the previous resources by id. */
  readonly wanted: ReadonlyResourceMap<DesiredResource>
  readonly known: ReadonlyResourceMap<DesiredResource>
  /** What the last version had and the document no longer has, in the order of that version. */
  removed(kind: ResourceKind): readonly DesiredResource[]
  /** The wanted fields with references as processor ids; what is yet to be made equals nothing. Asked once references are decided. */
  wantedFields<K extends ResourceKind>(resource: DesiredResource<K>): FieldsOf<K, ProcessorId>
  /** What was applied last, references as they are mapped now; null when the resource was not in the last version. */
  lastFields<K extends ResourceKind>(kind: K, id: ConfigId): FieldsOf<K, ProcessorId> | null
  /** The id that this one takes over; undefined when it is no rename. */
  formerId(kind: ResourceKind, id: ConfigId): ConfigId | undefined
  /** One line for each side of a change; null where there is none. */
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

/** Whether two catalogs hold the very same resources. */
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

/** The fields of a resource with their references as processor ids. Questions come resource by resource: the last answer is kept. */
interface ResolvedFields {
  readonly of: DesiredResource
  readonly fields: object
}

/** `beside`: another answer, which is this one too when it is of the same resource and all references stand for the same. */
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

/** A difference in the document's words; references as configuration ids where they are ours. */
export function fieldChange(state: PlanState, kind: ResourceKind, difference: Difference): FieldChange {
  const of = rowOf(kind, difference.field)?.reference ?? null
  const readable = (value: unknown): unknown => {
    if (of === null) return documentValue(kind, difference.field, value)
    // Lists of references are sets: the order of processor ids would mean nothing to a reader, and differ from run to run.
    if (Array.isArray(value)) return value.map((id: string) => readableReference(state, of, id)).sort()
    return typeof value === 'string' && value !== '' ? readableReference(state, of, value) : undefined
  }
  const { live, want } = difference
  const [before, after] = [readable(live), readable(want)]
  // What was deleted at the processor is made again under its own id: a reader would see a change from a value to itself.
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

/** What the author changed since the version that was applied last, in fields the processor holds and in our own. */
export function editsSince<K extends ResourceKind>(state: PlanState, want: DesiredResource<K>): readonly FieldChange[] {
  const known = state.known.get(want.kind, want.configId) as DesiredResource<K> | undefined
  if (known === undefined || known === want) return noChanges
  const [before, after] = [known.fields as FieldsOf<K, never>, want.fields as FieldsOf<K, never>]
  return [
    ...differences(want.kind, after, before, before).map((difference) => fieldChange(state, want.kind, difference)),
    ...ourEdits(state, want),
  ]
}

/** That a resource is a renamed one, as the first thing to be told of it. */
export function renamedFrom(state: PlanState, { kind, configId }: Subject): readonly FieldChange[] {
  const before = state.formerId(kind, configId)
  return before === undefined ? noChanges : [{ field: 'id', before, after: configId, origin: 'edit' }]
}

/** Differences in the fields that are ours alone: no processor write. */
export function ourEdits(state: PlanState, want: DesiredResource): readonly FieldChange[] {
  const known = state.known.get(want.kind, want.configId)
  if (known === undefined || known === want || same(want.ours, known.ours)) return noChanges
  return [...new Set([...Object.keys(want.ours), ...Object.keys(known.ours)])]
    .filter((field) => !same(want.ours[field], known.ours[field]))
    .map((field) => ({ field, before: known.ours[field], after: want.ours[field], origin: 'edit' as const }))
}

type Subject = { readonly kind: ResourceKind; readonly configId: ConfigId }

/** What makes the plan impossible. */
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

/** What deserves a look. */
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
