// Plan and impact of a push: reads the live state, plans the document against it and checks the plan. Writes nothing to the catalog.
import { createHash } from 'node:crypto'
import { documentOf } from '../../catalog/document-tasks.ts'
import { canonicalJson } from '../../config/schema/canonical.ts'
import type { BillingConfig } from '../../config/schema/schema.ts'
import type { Issue } from '../../errors/issue.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { handOver, renamesBack, renamesOf } from '../../catalog/renames.ts'
import type { Rename } from '../../catalog/renames.ts'
import type { MappingEntry, ObservedResource, ProcessorId } from '../../catalog/resource.ts'
import type { Step } from '../../catalog/steps.ts'
import { planIsEmpty } from '../../catalog/plan/plan-changes.ts'
import type { Plan } from '../../catalog/plan/plan-changes.ts'
import type { VersionRecord } from '../../store/store.ts'
import { yieldToRequests } from '../../event-loop.ts'
import type { SyncDeps } from '../deps.ts'
import { retiringEndpoints } from '../webhooks/retiring.ts'
import { unknownCustomers } from '../checks/customers-of-codes.ts'
import { beyondThreshold, impactOf } from '../checks/impact.ts'
import type { Impact } from '../checks/impact.ts'
import { loweredFeatures } from '../checks/lowered-features.ts'
import { metersInUse } from '../checks/meters-in-use.ts'
import { pastDates } from '../checks/past-dates.ts'
import { readForPush } from '../../processor/failures.ts'
import { waitingMigrations } from '../checks/waiting-migrations.ts'

export interface PlanWithImpact {
  readonly current: VersionRecord | null
  readonly plan: Plan
  readonly impact: Impact
  /** Effects of the plan on live subscriptions that must be approved, e.g. a deactivated meter that is in use. */
  readonly approvals: readonly Issue[]
  /**
   * Warnings besides those of the plan itself. E.g. subscribers are scheduled to move to a price that the plan changes, or a customer could
   * not be looked up.
   */
  readonly cautions: readonly Issue[]
  /** Ids of migration jobs whose waiting moves will go to the new price if this plan is applied. */
  readonly movedAlong: readonly string[]
  readonly unchanged: boolean
  readonly checksum: string
  /** Hash of the plan, the document and the required approvals. It leaves out subscriber counts, because these change by the minute. */
  readonly fingerprint: string
}

/**
 * True if planning may need the features that are attached to products: the document manages features, or adopts a product that may have
 * some.
 */
function speaksOfFeatures({ features = [], products }: BillingConfig): boolean {
  return (
    features.length > 0 ||
    products.some((product) => product.features !== undefined || product.processor_id !== undefined)
  )
}

/**
 * Returns a predicate that is true for archived products that the document contains again. The features attached to them before still
 * exist.
 */
function mayComeBack({ products }: BillingConfig, mappings: readonly MappingEntry[]) {
  const ids = new Set<string>(products.flatMap(({ id, processor_id: adopted }) => [id, adopted ?? id]))
  const ours = mappings.filter(({ kind, configId }) => kind === 'product' && ids.has(configId))
  const objects = new Set(ours.map(({ processorId }) => processorId))
  return ({ processorId, mark }: ObservedResource<'product'>): boolean =>
    objects.has(processorId) || ids.has(processorId) || (mark !== null && ids.has(mark))
}

/** Plans the document against the live state and checks the plan. Throws `processor_drift` or `plan_refused` if the plan is impossible. */
export async function planAgainstLive(
  deps: SyncDeps,
  { config, text }: { readonly config: BillingConfig; readonly text: string },
  { force = false, rollbackTo }: { readonly force?: boolean; readonly rollbackTo?: number },
  signal: AbortSignal,
): Promise<PlanWithImpact> {
  const current = await deps.store.versions.current()
  const previous = currentDocument(current)
  const mappings = await deps.store.mappings.all()
  const undone = rollbackTo === undefined ? undefined : await renamesTo(deps, rollbackTo, mappings, previous)
  const featured = speaksOfFeatures(config) || (previous !== null && speaksOfFeatures(previous))
  const comesBack = mayComeBack(config, handOver(mappings, undone ?? renamesOf(config, previous, mappings).renames))
  const attachments = featured && ((product: ObservedResource<'product'>) => product.active || comesBack(product))
  const snapshot = await readForPush(() => deps.processor.snapshot({ signal, attachments }))
  const { plan, digest, checksum, sameContent } = await deps.documents.run('plan', {
    text,
    previous: current?.document ?? null,
    snapshot,
    mappings,
    force,
    retiring: await retiringEndpoints(deps.store),
    stopped: await stoppedObjects(deps, current),
    ...(undone === undefined ? {} : { renames: undone }),
  })
  const customers = await unknownCustomers(deps, { plan, config }, signal)
  refuseImpossible([...plan.issues, ...pastDates(plan, config, deps.clock.now()), ...customers])
  await yieldToRequests()
  const impact = await impactOf(deps, { plan, snapshot, mappings }, signal)
  const waiting = await waitingMigrations(deps, { plan, config })
  const lowered = await loweredFeatures(deps, { plan, config, previous, mappings }, signal)
  const approvals = [
    ...waiting.issues,
    ...(await metersInUse(deps, { plan, snapshot, config }, signal)),
    ...beyondThreshold(impact, deps.impactThreshold),
  ]
  return {
    current,
    plan,
    impact,
    approvals,
    movedAlong: waiting.movedAlong,
    cautions: [...customers, ...waiting.scheduled, ...lowered],
    unchanged: sameContent && current?.version === config.version && planIsEmpty(plan),
    checksum,
    fingerprint: fingerprintOf({
      digest,
      checksum,
      approvals: approvals.map(({ code, pointer }) => `${code} ${pointer}`),
    }),
  }
}

/**
 * Returns a fingerprint that is equal only for the same plan, document and required approvals. A saved plan is applied only if its
 * fingerprint is still the same.
 */
function fingerprintOf(parts: Readonly<Record<string, string | readonly string[]>>): string {
  return createHash('sha256').update(canonicalJson(parts)).digest('hex')
}

/**
 * Returns the renames that undo all renames since a revision. Throws `plan_refused` if one of the former ids now belongs to another item.
 */
async function renamesTo(
  deps: SyncDeps,
  revision: number,
  mappings: readonly MappingEntry[],
  present: BillingConfig | null,
): Promise<readonly Rename[]> {
  const { renames, taken } = renamesBack(revision, await deps.store.mappings.renames(), mappings, present)
  if (taken.length === 0) return renames
  throw new ServiceError(
    'plan_refused',
    `Revision ${String(revision)} has ids that other items have now. Nothing was written.`,
    {
      hint: 'Give these items another id first (`previous_ids`), or push the earlier content as a new document.',
      issues: taken.map(({ kind, from, to }) => ({
        code: 'previous_id_conflict',
        pointer: '#',
        severity: 'error',
        detail: `The ${kind} "${from}" had the id "${to}" then; another ${kind} has it now.`,
      })),
    },
  )
}

/**
 * Returns the processor ids of objects that were archived by unfinished pushes based on the current version. Otherwise the next plan would
 * take these archives for manual edits.
 */
async function stoppedObjects(deps: SyncDeps, current: VersionRecord | null): Promise<ReadonlySet<ProcessorId>> {
  const steps = current === null ? [] : await deps.store.pushes.stepsSince(current.revision)
  const stopped = new Set<ProcessorId>()
  for (const { step } of steps) {
    const planned = JSON.parse(step) as Step
    if (planned.op === 'archive') stopped.add(planned.processorId)
    await yieldToRequests()
  }
  return stopped
}

export function currentDocument(current: VersionRecord | null): BillingConfig | null {
  return documentOf(current?.document ?? null)
}

function refuseImpossible(issues: readonly Issue[]): void {
  const errors = issues.filter((issue) => issue.severity === 'error')
  if (errors.length === 0) return
  const drift = errors.every((issue) => issue.code === 'drift')
  if (drift)
    throw new ServiceError(
      'processor_drift',
      `${String(errors.length)} managed ${errors.length === 1 ? 'field was' : 'fields were'} changed at the processor.`,
      {
        hint: 'Three ways out: overwrite with --force (`?force=true`); take the live values into the document with `ratecard billing pull --update`; undo the edit at the processor.',
        issues,
      },
    )
  throw new ServiceError(
    'plan_refused',
    `${String(errors.length)} ${errors.length === 1 ? 'change is' : 'changes are'} impossible at the processor. Nothing was written.`,
    { issues },
  )
}
