// Computes the plan of a push. A plan is a plain value that can be printed, stored and compared. `planChanges` is pure: it performs no I/O
// and reads only its input.
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../document/schema/canonical/canonical.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { Issue } from '../../base/errors/issue.ts'
import type { PlannedChange } from '../change.ts'
import { desiredCatalog, emptyCatalog } from '../desired.ts'
import { resourceKinds, type ConfigId, type ProcessorId, type ResourceKind } from '../kinds.ts'
import { ownershipOf } from '../observed.ts'
import { decideArchives, inArchiveOrder } from './archives.ts'
import type { Decision } from './decision.ts'
import { decideDefaultPrice } from './default-price.ts'
import { decideFeatures } from './features.ts'
import { decideResource } from './decide-resource.ts'
import { movedDeals } from './moved-deals.ts'
import { mergedIssue, overlookedRenames } from './renamed.ts'
import { planState, type PlanState } from './state.ts'
import { webhookIssues } from './webhooks.ts'
import { handOver, renameCatalog, renamesOf, type Rename } from '../renames.ts'
import { ResourceMap } from '../resource-map.ts'
import type { DesiredResource, MappingEntry, Snapshot } from '../resource.ts'
import type { ArchiveStep, DetachStep, Step } from '../steps.ts'

/** Processor id of an existing object that steps of the plan refer to. */
export interface Binding {
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly processorId: ProcessorId
}

export interface Plan {
  /**
   * Contains one change per configuration id, then the changes of stray objects (left behind by an abandoned push). Kinds are in creation
   * order, the ids of a kind in document order. Resources that the new document no longer contains are in the order of the last document.
   */
  readonly changes: readonly PlannedChange[]
  readonly steps: readonly Step[]
  readonly bindings: readonly Binding[]
  /** Mapping entries that move to another configuration id when the push is complete. */
  readonly renames: readonly Rename[]
  /** Errors, which make the plan impossible to apply, and warnings. */
  readonly issues: readonly Issue[]
}

export interface PlanInput {
  /** The document to apply; it is valid. */
  readonly config: BillingConfig
  /** The last applied document; null before the first push and after a reset. */
  readonly previous: BillingConfig | null
  readonly snapshot: Snapshot
  readonly mappings: readonly MappingEntry[]
  /** If true, the plan overwrites drift of immutable fields (e.g. an amount). Otherwise such drift makes the plan fail. */
  readonly force?: boolean
  /**
   * Old endpoints of replaced webhooks, which receive events beside their successors for a grace period. The plan does not archive them.
   */
  readonly retiring?: ReadonlySet<ProcessorId>
  /** Renames to use in place of those in the document, e.g. to undo renames in a rollback. */
  readonly renames?: readonly Rename[]
  /** Objects that an unfinished push of Ratecard switched off since the last version. Their state is not drift. */
  readonly stopped?: ReadonlySet<ProcessorId>
}

/**
 * Computes everything that makes the processor match the document, before the first write. Order: meters, features, products, prices,
 * default prices, features of products, coupons, codes, tax rates, portal configurations, webhooks; then all archives, so that nothing is removed before its replacement
 * exists.
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
  decideAll('tax_rate')
  decideAll('portal')
  decideAll('webhook')
  write({ issues: webhookIssues(state) })
  decideArchives(state).forEach(write)
  write({ issues: overlookedRenames(state) })
  write({ issues: movedDeals(state) })
  return {
    // The changes of each kind are in document order. Resources of the kind that were removed follow, in the order of the earlier document.
    changes: [...resourceKinds.flatMap((kind) => [...state.changes.ofKind(kind).values()]), ...strays],
    steps: [...decided.steps, ...inArchiveOrder(archives)],
    bindings: bindingsOf(state),
    renames,
    issues,
  }
}

/** Appends to `list` in place. Unlike `push(...more)`, it works for lists longer than the maximum number of arguments. */
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

/** True if applying the plan would change nothing at the processor and nothing in the store. */
export function planIsEmpty(plan: Plan): boolean {
  return plan.steps.length === 0 && plan.changes.every((change) => change.action === 'keep')
}

/** Returns the SHA-256 (hex) of the plan. Plans with the same effect have the same digest. */
export function planDigest(plan: Plan): string {
  const { steps, bindings, changes, renames } = plan
  const decided = changes.map(({ display: _display, ...change }) => change)
  const hash = createHash('sha256')
  // Hash item by item, because the serialized plan would need more memory than the plan itself.
  for (const pieces of [steps, bindings, decided, ...(renames.length === 0 ? [] : [renames])]) {
    for (const piece of pieces) hash.update(`${canonicalJson(piece)}\n`)
    hash.update('\n')
  }
  return hash.digest('hex')
}
