// A plan is a value: printable, storable, comparable. planChanges decides; it never acts and never reads anything but its input.
import { createHash } from 'node:crypto'
import { canonicalJson } from '../config/canonical.ts'
import type { BillingConfig } from '../config/schema.ts'
import type { Issue } from '../errors/issue.ts'
import { planArchives } from './plan-archives.ts'
import { changesOf, createContext } from './plan-context.ts'
import type { PlanContext } from './plan-context.ts'
import { decideDefaultPrices } from './plan-default-price.ts'
import { decideResource } from './plan-resource.ts'
import { checkWebhooks } from './plan-webhooks.ts'
import type { ConfigId, DesiredResource, MappingEntry, ProcessorId, ResourceKind, Snapshot } from './resource.ts'
import { resourceKinds } from './resource.ts'
import type { Step } from './steps.ts'

/** Whose change a difference is: the author's edit, an edit at the processor, or both. */
export type Origin = 'edit' | 'drift' | 'both'

export interface FieldChange {
  /** The document's own name of the field (snake_case), `metadata.<key>` for one metadata key. */
  readonly field: string
  /** JSON values in the document's form. `undefined` is absent. */
  readonly before: unknown
  readonly after: unknown
  readonly origin: Origin
}

interface ChangeOf<Action extends string> {
  readonly action: Action
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly home: 'processor' | 'local'
  /** Why, field by field; empty where the action speaks for itself. */
  readonly because: readonly FieldChange[]
  readonly processorIdBefore: ProcessorId | null
  /** null while it is not known (a create). */
  readonly processorIdAfter: ProcessorId | null
  /** The resource in one line as people read it, for example `€12.00 / month`. */
  readonly display: { readonly before: string | null; readonly after: string | null }
}

export type Change =
  | ChangeOf<'create'>
  | ChangeOf<'adopt'>
  | ChangeOf<'update'>
  /** A new object (or an earlier one of equal content) takes the place of the present one. */
  | (ChangeOf<'replace'> & { readonly reused: boolean })
  | ChangeOf<'reactivate'>
  /** `removed` from the document, or a `stray` of an abandoned push. */
  | (ChangeOf<'archive'> & { readonly reason: 'removed' | 'stray' })
  | ChangeOf<'keep'>

export type ChangeAction = Change['action']

/** The processor id of something that exists already and that steps refer to. */
export interface Binding {
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly processorId: ProcessorId
}

export interface Plan {
  /** One entry per configuration id (strays aside), kinds in creation order, ids in document order; archives as in the earlier document. */
  readonly changes: readonly Change[]
  readonly steps: readonly Step[]
  readonly bindings: readonly Binding[]
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
}

/**
 * What has to happen so that the processor matches the document: the decision, all of it, before anything is written.
 * Order: meters, products, prices, default prices, coupons, codes, webhooks; then every archive (codes, coupons, products,
 * prices, meters, webhooks), so that nothing is taken away before its successor stands.
 */
export function planChanges(input: PlanInput): Plan {
  const context = createContext(input)
  decideAll(context, ['meter', 'product', 'price'])
  decideDefaultPrices(context)
  decideAll(context, ['coupon', 'promotion_code', 'webhook'])
  checkWebhooks(context)
  planArchives(context)
  const { archives } = context
  return {
    changes: changesOf(context),
    steps: [
      ...context.forward,
      ...archives.promotion_code,
      ...archives.coupon,
      ...archives.product,
      ...archives.price,
      ...archives.meter,
      ...archives.webhook,
    ],
    bindings: bindingsOf(context),
    issues: context.issues,
  }
}

function decideAll(context: PlanContext, kinds: readonly ResourceKind[]): void {
  for (const kind of kinds)
    for (const resource of context.desired[kind] as readonly DesiredResource[]) decideResource(context, resource)
}

function bindingsOf(context: PlanContext): Binding[] {
  const bindings: Binding[] = []
  for (const kind of resourceKinds)
    for (const { configId } of context.desired[kind] as readonly DesiredResource[]) {
      const outcome = context.outcomes.get(kind, configId)
      if (outcome !== undefined && outcome !== null) bindings.push({ kind, configId, processorId: outcome })
    }
  return bindings
}

/** Whether applying the plan would change anything, at the processor or in our records. */
export function planIsEmpty(plan: Plan): boolean {
  return plan.steps.length === 0 && plan.changes.every((change) => change.action === 'keep')
}

/**
 * Equal exactly when two plans would do the same: a saved plan is applied only while it still fits the live state. `beside` is
 * what a caller asks of the plan too: the document that becomes the version, and what must be approved.
 */
export function planFingerprint(
  plan: Plan,
  beside: { readonly document: string; readonly approvals: readonly string[] },
): string {
  const { steps, bindings, changes } = plan
  const decided = changes.map(({ display: _display, ...change }) => change)
  const hash = createHash('sha256')
  // Piece by piece: as one text it would take more memory than the plan itself.
  for (const pieces of [steps, bindings, decided, [beside]]) {
    for (const piece of pieces) hash.update(`${canonicalJson(piece)}\n`)
    hash.update('\n')
  }
  return hash.digest('hex')
}
