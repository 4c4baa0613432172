// A plan is a value: printable, storable, comparable. planChanges decides; it never acts and never reads anything but its input.
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../config/schema/canonical.ts'
import type { BillingConfig } from '../../config/schema/schema.ts'
import type { Issue } from '../../errors/issue.ts'
import type { PlannedChange } from '../change.ts'
import { desiredCatalog, emptyCatalog } from '../desired.ts'
import { resourceKinds } from '../kinds.ts'
import type { ConfigId, ProcessorId, ResourceKind } from '../kinds.ts'
import { ownershipOf } from '../observed.ts'
import { decideArchives, inArchiveOrder } from './archives.ts'
import type { Decision } from './decision.ts'
import { decideDefaultPrice } from './default-price.ts'
import { decideFeatures } from './features.ts'
import { decideResource } from './decide-resource.ts'
import { mergedIssue, overlookedRenames } from './renamed.ts'
import { planState } from './state.ts'
import type { PlanState } from './state.ts'
import { webhookIssues } from './webhooks.ts'
import { handOver, renameCatalog, renamesOf } from '../renames.ts'
import type { Rename } from '../renames.ts'
import { ResourceMap } from '../resource-map.ts'
import type { DesiredResource, MappingEntry, Snapshot } from '../resource.ts'
import type { ArchiveStep, DetachStep, Step } from '../steps.ts'

/** The processor id of something that exists already and that steps refer to. */
export interface Binding {
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly processorId: ProcessorId
}

export interface Plan {
  /** One entry per configuration id (strays aside), kinds in creation order, ids in document order; archives as in the earlier document. */
  readonly changes: readonly PlannedChange[]
  readonly steps: readonly Step[]
  readonly bindings: readonly Binding[]
  /** Mapping entries that get another configuration id when the push closes. */
  readonly renames: readonly Rename[]
  /** What makes the plan impossible (severity error) or deserves a look (warning). */
  readonly issues: readonly Issue[]
}

export interface PlanInput {
  /** A valid document. */
  readonly config: BillingConfig
  /** The document applied last; null before the first push and after a reset. */
  readonly previous: BillingConfig | null
  readonly snapshot: Snapshot
  readonly mappings: readonly MappingEntry[]
  /** Overwrite money fields that were changed at the processor instead of refusing. */
  readonly force?: boolean
  /** Endpoints of wanted webhooks that are kept live beside their successors for a while: they are left alone. */
  readonly retiring?: ReadonlySet<ProcessorId>
  /** Renames to be made, in place of those that the document says: those that a rollback undoes. */
  readonly renames?: readonly Rename[]
  /** Objects that an unfinished push of ours switched off since the last version: nobody else did. */
  readonly stopped?: ReadonlySet<ProcessorId>
}

/**
 * What has to happen so that the processor matches the document: the decision, all of it, before anything is written.
 * Order: meters, features, products, prices, default prices, features of products, coupons, codes, webhooks; then every archive, so that nothing is taken
 * away before its successor stands.
 */
export function planChanges(input: PlanInput): Plan {
  const { config, previous, snapshot, mappings, force = false, stopped = new Set(), retiring = new Set() } = input
  const { renames, refused } =
    input.renames === undefined ? renamesOf(config, previous, mappings) : { renames: input.renames, refused: [] }
  const decided = {
    outcomes: new ResourceMap<ProcessorId | null>(),
    changes: new ResourceMap<PlannedChange>(),
    settled: new ResourceMap<true>(),
    chosenIds: new ResourceMap<true>(),
    chosenFor: new ResourceMap<ProcessorId>(),
    steps: [] as Step[],
  }
  const [issues, archives, strays]: [Issue[], (ArchiveStep | DetachStep)[], PlannedChange[]] = [[], [], []]
  const desired = desiredCatalog(config)
  const applied = previous === null ? emptyCatalog : desiredCatalog(previous, { config, catalog: desired })
  const state = planState(
    { config, previous },
    {
      desired,
      previous: renameCatalog(applied, renames),
      own: ownershipOf(snapshot, handOver(mappings, renames)),
      force,
      retiring,
      stopped,
      renames,
    },
    decided,
  )
  const write = (decision: Partial<Decision>): void => {
    const { outcome, change, chosenId, settled = [] } = decision
    append(issues, decision.issues)
    append(decided.steps, decision.steps)
    append(archives, decision.archives)
    append(strays, decision.strays)
    for (const { kind, processorId } of settled) decided.settled.set(kind, processorId, true)
    if (chosenId) {
      decided.chosenIds.set(chosenId.kind, chosenId.id, true)
      decided.chosenFor.set(chosenId.kind, chosenId.configId, chosenId.id)
    }
    if (outcome) decided.outcomes.set(outcome.kind, outcome.configId, outcome.is)
    if (change) decided.changes.set(change.kind, change.configId, change)
  }
  write({ issues: refused.map((rename) => mergedIssue(state, rename)) })
  const decideAll = <K extends ResourceKind>(
    kind: K,
    decide: (state: PlanState, resource: DesiredResource<K>) => Partial<Decision> = decideResource,
  ): void => {
    for (const resource of state.desired[kind] as unknown as readonly DesiredResource<K>[])
      write(decide(state, resource))
  }
  decideAll('meter')
  decideAll('feature')
  decideAll('product')
  decideAll('price')
  decideAll('product', decideDefaultPrice)
  decideAll('product', decideFeatures)
  decideAll('coupon')
  decideAll('promotion_code')
  decideAll('webhook')
  write({ issues: webhookIssues(state) })
  decideArchives(state).forEach(write)
  write({ issues: overlookedRenames(state) })
  return {
    // Each kind was decided in document order, and what is removed after that, as in the earlier document.
    changes: [...resourceKinds.flatMap((kind) => [...state.changes.ofKind(kind).values()]), ...strays],
    steps: [...decided.steps, ...inArchiveOrder(archives)],
    bindings: bindingsOf(state),
    renames,
    issues,
  }
}

/** `push(...more)` with no list in between and no limit of arguments. */
function append<T>(list: T[], more: readonly T[] = []): void {
  for (const item of more) list.push(item)
}

function bindingsOf(state: PlanState): Binding[] {
  const bindings: Binding[] = []
  for (const kind of resourceKinds)
    for (const [id, outcome] of state.outcomes.ofKind(kind))
      if (outcome !== null) bindings.push({ kind, configId: id as ConfigId, processorId: outcome })
  return bindings
}

/** Whether applying the plan would change anything, at the processor or in our records. */
export function planIsEmpty(plan: Plan): boolean {
  return plan.steps.length === 0 && plan.changes.every((change) => change.action === 'keep')
}

/** SHA-256 (hex). Equal exactly when two plans would do the same. */
export function planDigest(plan: Plan): string {
  const { steps, bindings, changes, renames } = plan
  const decided = changes.map(({ display: _display, ...change }) => change)
  const hash = createHash('sha256')
  // Piece by piece: as one text it would take more memory than the plan itself.
  for (const pieces of [steps, bindings, decided, ...(renames.length === 0 ? [] : [renames])]) {
    for (const piece of pieces) hash.update(`${canonicalJson(piece)}\n`)
    hash.update('\n')
  }
  return hash.digest('hex')
}
