// What a push would do and whom it would touch: reads the live state, plans against it, and weighs the plan. Writes nothing.
import { checksum } from '../config/canonical.ts'
import type { BillingConfig } from '../config/schema.ts'
import type { Issue } from '../errors/issue.ts'
import { ServiceError } from '../errors/service-error.ts'
import { catalogFingerprint } from '../catalog/desired.ts'
import { planChanges, planFingerprint, planIsEmpty } from '../catalog/plan.ts'
import type { Plan } from '../catalog/plan.ts'
import type { VersionRecord } from '../store/store.ts'
import type { SyncDeps } from './deps.ts'
import { beyondThreshold, impactOf } from './impact.ts'
import type { Impact } from './impact.ts'
import { metersInUse } from './meters-in-use.ts'
import { pastDates } from './past-dates.ts'
import { readForPush } from '../processor/failures.ts'

export interface Considered {
  readonly current: VersionRecord | null
  readonly plan: Plan
  readonly impact: Impact
  /** What the plan does to live subscriptions that must be approved. */
  readonly approvals: readonly Issue[]
  readonly unchanged: boolean
  /** Of the plan, the document and what must be approved; not of head counts, which change by the minute. */
  readonly fingerprint: string
}

/** Fails with `processor_drift` or `plan_refused` when the plan is impossible. */
export async function consider(
  deps: SyncDeps,
  config: BillingConfig,
  force: boolean,
  signal: AbortSignal,
): Promise<Considered> {
  const current = await deps.store.versions.current()
  const previous = currentDocument(current)
  const snapshot = await readForPush(() => deps.processor.snapshot({ signal }))
  const plan = planChanges({ config, previous, snapshot, mappings: await deps.store.mappings.all(), force })
  refuseImpossible([...plan.issues, ...pastDates(plan, config, deps.clock.now())])
  const sameContent = previous !== null && catalogFingerprint(previous) === catalogFingerprint(config)
  const impact = await impactOf(deps, { plan, snapshot }, signal)
  const approvals = [
    ...(await metersInUse(deps, { plan, snapshot, config }, signal)),
    ...beyondThreshold(impact, deps.impactThreshold),
  ]
  return {
    current,
    plan,
    impact,
    approvals,
    unchanged: sameContent && current?.version === config.version && planIsEmpty(plan),
    fingerprint: planFingerprint(plan, {
      document: checksum(config),
      approvals: approvals.map(({ code, pointer }) => `${code} ${pointer}`),
    }),
  }
}

export function currentDocument(current: VersionRecord | null): BillingConfig | null {
  return current === null || current.document === null ? null : (JSON.parse(current.document) as BillingConfig)
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
        hint: 'Overwrite with --force (`?force=true`), or take the live values into the document with `ratecard billing pull --update`.',
        issues,
      },
    )
  throw new ServiceError(
    'plan_refused',
    `${String(errors.length)} ${errors.length === 1 ? 'change is' : 'changes are'} impossible at the processor. Nothing was written.`,
    { issues },
  )
}
