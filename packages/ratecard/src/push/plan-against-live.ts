// Computes the plan and the impact of a push. Reads the live state, plans the document against it and checks the plan. Changes nothing in
// the catalog.
import { createHash } from 'node:crypto'
import { documentOf } from '../catalog/document-tasks.ts'
import { canonicalJson } from '../document/schema/canonical/canonical.ts'
import type { BillingConfig } from '../document/schema/schema.ts'
import type { Issue } from '../base/errors/issue.ts'
import { ServiceError } from '../base/errors/service-error.ts'
import { handOver, renamesBack, renamesOf, type Rename } from '../catalog/renames.ts'
import type { MappingEntry, ObservedResource, ProcessorId } from '../catalog/resource.ts'
import type { Step } from '../catalog/steps.ts'
import { negotiatedIds, planInWords } from '../catalog/plan-in-words.ts'
import { planIsEmpty, type Plan } from '../catalog/plan/plan-changes.ts'
import type { ChangeFacts } from '../catalog/policies/decide.ts'
import { documentFacts } from '../catalog/policies/facts.ts'
import { yieldToRequests } from '../base/event-loop.ts'
import type { SyncDeps } from './deps.ts'
import { retiringEndpoints } from './webhooks/retiring.ts'
import { unknownCustomers } from './checks/customers-of-codes.ts'
import { beyondThreshold, impactOf, planFacts, type Impact } from './checks/impact.ts'
import { removedCurrencies } from './checks/who-pays.ts'
import { keptTaxRates } from './checks/kept-tax-rates.ts'
import { loweredFeatures } from './checks/lowered-features.ts'
import { lastAmounts } from './checks/last-amounts.ts'
import { createPlanned } from './checks/planned.ts'
import { metersInUse } from './checks/meters-in-use.ts'
import { pastDates } from './checks/past-dates.ts'
import { readForPush } from '../processor/failures.ts'
import { waitingMigrations } from './checks/waiting-migrations.ts'
import type { VersionRecord } from '../store/records/configuration.ts'
import { deepEqual } from '../catalog/fields/differences.ts'
import { taxText, withPresentRates } from '../catalog/tax-settings.ts'

export interface PlanWithImpact {
  readonly current: VersionRecord | null
  readonly plan: Plan
  readonly impact: Impact
  /** Effects of the plan on live subscriptions that must be approved, e.g. a deactivated meter that is in use. */
  readonly approvals: readonly Issue[]
  /**
   * Warnings that the plan itself does not contain. E.g. subscribers are scheduled to move to a price that the plan changes, or a customer
   * could not be looked up.
   */
  readonly cautions: readonly Issue[]
  /** Ids of the waiting migration jobs whose target price this plan replaces. They move their subscribers to the new price instead. */
  readonly movedAlong: readonly string[]
  /** What the policies look at. */
  readonly facts: ChangeFacts
  /** What the plan does to people, in words. */
  readonly summary: string
  readonly unchanged: boolean
  readonly checksum: string
  /** Hash of the plan, the document and the required approvals. Subscriber counts are not included, because they change every minute. */
  readonly fingerprint: string
}

/**
 * True if planning may need the features that are attached to products: the document manages features, or it adopts a product that may have
 * features.
 */
function speaksOfFeatures({ features = [], products }: BillingConfig): boolean {
  return (
    features.length > 0 ||
    products.some((product) => product.features !== undefined || product.processor_id !== undefined)
  )
}

/**
 * Returns a predicate for archived products that are in the document again. Features that were attached to such a product still exist at
 * the processor.
 */
function mayComeBack({ products }: BillingConfig, mappings: readonly MappingEntry[]) {
  const ids = new Set<string>(products.flatMap(({ id, processor_id: adopted }) => [id, adopted ?? id]))
  const ours = mappings.filter(({ kind, configId }) => kind === 'product' && ids.has(configId))
  const objects = new Set(ours.map(({ processorId }) => processorId))
  return ({ processorId, mark }: ObservedResource<'product'>): boolean =>
    objects.has(processorId) || ids.has(processorId) || (mark !== null && ids.has(mark))
}

/**
 * Plans the document against the live state and checks the plan. Throws `processor_drift`, or `plan_refused` if the plan cannot be
 * executed.
 */
export async function planAgainstLive(
  deps: SyncDeps,
  { config, text }: { readonly config: BillingConfig; readonly text: string },
  {
    force = false,
    rollbackTo,
    message,
  }: { readonly force?: boolean; readonly rollbackTo?: number; readonly message: string | null },
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
  const checked = createPlanned({ plan, config, previous, snapshot, mappings })
  const customers = await unknownCustomers(deps, checked, signal)
  refuseImpossible([...plan.issues, ...pastDates(checked, deps.clock.now()), ...customers], plan.changes)
  await yieldToRequests()
  const impact = await impactOf(deps, checked, signal)
  const waiting = await waitingMigrations(deps, checked)
  const lowered = await loweredFeatures(deps, checked, signal)
  const kept = await keptTaxRates(deps, checked, signal)
  const approvals = [
    ...waiting.issues,
    ...(await metersInUse(deps, checked, signal)),
    ...beyondThreshold(impact, deps.impactThreshold),
  ]
  const { changes, renames } = plan
  const documented = documentFacts({ changes, renames, config, previous })
  return {
    current,
    plan,
    impact,
    facts: planFacts(
      { ...documented, prices: [...documented.prices, ...(await lastAmounts(deps, checked))] },
      impact,
      message,
    ),
    summary: planInWords({
      changes,
      moves: documented.prices,
      negotiated: negotiatedIds(previous, config),
      impact,
      lowered: { products: lowered.issues.length, tenants: lowered.tenants },
    }),
    approvals,
    movedAlong: waiting.movedAlong,
    cautions: [
      ...[...customers, ...lowered.issues, ...kept, ...changedTax(config, previous)],
      ...removedCurrencies(impact.lostCurrencies, checked),
      ...(await policiesElsewhere(deps)),
    ],
    unchanged: sameContent && current?.version === config.version && planIsEmpty(plan),
    checksum,
    fingerprint: fingerprintOf({
      digest,
      checksum,
      approvals: approvals.map(({ code, pointer }) => `${code} ${pointer}`),
    }),
  }
}

/** Warns of policies that are for other environments: whoever reads the plan might take them for kept. */
async function policiesElsewhere({ guard }: SyncDeps): Promise<readonly Issue[]> {
  const detail = await guard.elsewhere()
  return detail === null ? [] : [{ code: 'policy_not_here', pointer: '#', severity: 'warning', detail }]
}

/**
 * Returns a fingerprint that is the same only for the same plan, document and required approvals. A saved plan is applied only if its
 * fingerprint has not changed.
 */
function fingerprintOf(parts: Readonly<Record<string, string | readonly string[]>>): string {
  return createHash('sha256').update(canonicalJson(parts)).digest('hex')
}

/** Returns the renames that undo all renames since a revision. Throws `plan_refused` if an earlier id now belongs to another item. */
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
    `Ids of revision ${String(revision)} belong to other items now. Nothing was written.`,
    {
      hint: 'First give these items another id (`previous_ids`), or push the earlier content as a new document.',
      issues: taken.map(({ kind, from, to }) => ({
        code: 'previous_id_conflict',
        pointer: '#',
        severity: 'error',
        detail: `In that revision, the ${kind} "${from}" had the id "${to}", which another ${kind} has now.`,
      })),
    },
  )
}

/**
 * Returns the processor ids of objects that unfinished pushes archived, if these pushes were based on the current version. Without them the
 * next plan would take the archives for manual edits.
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

function refuseImpossible(issues: readonly Issue[], changes: Plan['changes']): void {
  const errors = issues.filter((issue) => issue.severity === 'error')
  if (errors.length === 0) return
  const isDrift = errors.every((issue) => issue.code === 'drift')
  if (isDrift)
    throw new ServiceError('processor_drift', driftInWords(changes, errors), {
      hint: 'You can overwrite the edit with --force (`?force=true`), take it into the document with `ratecard billing pull --update`, or undo it at the processor.',
      issues,
    })
  throw new ServiceError(
    'plan_refused',
    `${String(errors.length)} ${errors.length === 1 ? 'change is' : 'changes are'} impossible at the processor. Nothing was written.`,
    { issues },
  )
}

const maxNamed = 5

/**
 * Returns the number of edited fields, which is that of the drift report, and how many of them stop the push. Names those that a push
 * overwrites without `force`, e.g. a name.
 */
function driftInWords(changes: Plan['changes'], errors: readonly Issue[]): string {
  const also = changes.flatMap(({ kind, configId, because }) => {
    const name = `${kind.replace('_', ' ')} "${configId}"`
    const fields = because.filter(({ origin }) => origin !== 'edit').map(({ field }) => field)
    const stopping = errors.filter(({ detail }) => detail.startsWith(`${name}:`)).length
    return stopping >= fields.length ? [] : [{ name, fields, number: fields.length - stopping }]
  })
  const edited = also.reduce((sum, { number }) => sum + number, errors.length)
  const head = `${edited === 1 ? '1 field was' : `${String(edited)} fields were`} edited at the processor since the last push`
  if (also.length === 0) return `${head}.`
  const named = also.slice(0, maxNamed).map(({ name, fields }) => `${name} (${fields.join(', ')})`)
  const more = also.length > maxNamed ? ` and ${String(also.length - maxNamed)} more` : ''
  return `${head}; ${String(errors.length)} of them ${errors.length === 1 ? 'stops' : 'stop'} this push. A push would also overwrite edits of ${named.join(', ')}${more}.`
}

/** Returns a warning if new sales will be taxed differently than with the applied document. */
export function changedTax(config: BillingConfig, previous: BillingConfig | null): Issue[] {
  if (previous === null) return []
  const [before, after] = [withPresentRates(previous.tax ?? {}, config), config.tax ?? {}]
  if (deepEqual(before, after)) return []
  return [
    {
      code: 'tax_of_sales_changed',
      pointer: '#/tax',
      severity: 'warning',
      detail: `New checkouts have other taxes: ${taxText(before)} → ${taxText(after)}. Running subscriptions keep theirs.`,
    },
  ]
}
