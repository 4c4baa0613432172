// A reset archives every managed object except webhooks. It plans an empty catalog, so that the plan contains these archives.
import type { BillingConfig } from '../document/schema/schema.ts'
import type { ServiceError } from '../base/errors/service-error.ts'
import { ownershipOf } from '../catalog/observed.ts'
import type { Plan } from '../catalog/plan/plan-changes.ts'
import { archiveStep, inArchiveOrder } from '../catalog/plan/archives.ts'
import { configId, resourceKinds, type MappingEntry, type ResourceKind, type Snapshot } from '../catalog/resource.ts'
import type { Step } from '../catalog/steps.ts'
import { bindAccount } from './account.ts'
import { pushLease } from '../acts/lease.ts'
import type { SyncDeps } from './deps.ts'
import { readForPush } from '../processor/failures.ts'
import { currentDocument } from './plan-against-live.ts'
import { settleEarlierWrites } from './recover.ts'
import { finishPush, openPush } from './run.ts'
import { documentFacts } from '../catalog/policies/facts.ts'
import { impactOf, planFacts } from './checks/impact.ts'
import { createPlanned } from './checks/planned.ts'
import type { ResetOptions, ResetReport } from '../api/push/config.ts'
import type { VersionRecord } from '../store/records/configuration.ts'

type ArchivedKind = keyof ResetReport['archived']

const listOf: Readonly<Partial<Record<ResourceKind, ArchivedKind>>> = {
  product: 'products',
  price: 'prices',
  feature: 'features',
  meter: 'meters',
  coupon: 'coupons',
  promotion_code: 'promotion_codes',
  tax_rate: 'tax_rates',
  portal: 'portal',
}

/**
 * Archives every managed object except webhooks. Afterwards there is no current configuration, and the history has a revision for the
 * reset. If the processor refuses to archive an object, the refusal is reported and the reset continues.
 */
export async function resetConfig(deps: SyncDeps, request: ResetOptions): Promise<ResetReport> {
  return deps.store.exclusively(pushLease, async (lease) => {
    await bindAccount(deps, lease.signal)
    await settleEarlierWrites(deps, lease)
    const current = await deps.store.versions.current()
    const snapshot = await readForPush(() => deps.processor.snapshot({ signal: lease.signal, attachments: false }))
    const mappings = await deps.store.mappings.all()
    const plan = await planReset(deps, current, { snapshot, mappings, scope: request.scope })
    const checked = createPlanned({ plan, snapshot, mappings, config: null, previous: currentDocument(current) })
    const documented = documentFacts({ ...checked, ...plan })
    const impact = await impactOf(deps, checked, lease.signal)
    const facts = planFacts(documented, impact, request.message)
    const { violations, overrides } = await deps.guard.allow(facts, request.override ?? [])
    const run = {
      kind: 'reset' as const,
      document: null,
      checksum: '',
      version: current?.version ?? (await deps.store.versions.latest())?.version ?? '0.0.0',
      author: request.author,
      by: request.by,
      message: request.message,
      baseRevision: current?.revision ?? null,
      impact: impact.prices,
      tenants: impact.tenants,
      who: impact.who,
      violations,
      overrides,
    }
    const opened = await openPush(deps, run, plan, lease)
    const errors: { kind: ResourceKind; configId: string; detail: string }[] = []
    const refused = new Set<string>()
    const onRefused = (step: Step, error: ServiceError) => {
      refused.add(`${step.kind}:${step.configId}`)
      errors.push({ kind: step.kind, configId: step.configId, detail: error.message })
    }
    const { version } = await finishPush(deps, opened, lease, onRefused)
    return { archived: archivedIds(plan, refused), errors, revision: version.revision }
  })
}

interface LiveState {
  readonly snapshot: Snapshot
  readonly mappings: readonly MappingEntry[]
}

async function planReset(
  deps: Pick<SyncDeps, 'documents'>,
  current: VersionRecord | null,
  { snapshot, mappings, scope }: LiveState & Pick<ResetOptions, 'scope'>,
): Promise<Plan> {
  const previous = currentDocument(current)
  const config: BillingConfig = {
    version: previous?.version ?? '0.0.0',
    products: [],
    ...(previous?.webhooks === undefined ? {} : { webhooks: previous.webhooks }),
  }
  const { plan } = await deps.documents.run('plan', {
    text: JSON.stringify(config),
    previous: current?.document ?? null,
    snapshot,
    mappings,
    force: true,
  })
  // Webhooks stay, and so do manual edits of them: a reset only archives.
  const steps = plan.steps.filter((step) => step.op === 'archive' && step.kind !== 'webhook')
  const changes = plan.changes.filter((change) => change.action === 'archive' && change.kind !== 'webhook')
  const foreign = scope === 'account' ? foreignArchives(snapshot, mappings) : []
  return { ...plan, changes, steps: inArchiveOrder([...steps, ...foreign]), issues: [] }
}

function foreignArchives(snapshot: Snapshot, mappings: readonly MappingEntry[]): Step[] {
  const own = ownershipOf(snapshot, mappings)
  return resourceKinds
    .filter((kind) => kind !== 'webhook')
    .flatMap((kind) =>
      own
        .all<ResourceKind>(kind)
        .filter(
          (object) => object.active && object.archivable !== false && own.ownerOf(kind, object.processorId) === null,
        )
        .map((object) => archiveStep(object, configId(object.processorId))),
    )
}

function archivedIds(plan: Plan, refused: ReadonlySet<string>): Record<ArchivedKind, string[]> {
  const archived: Record<ArchivedKind, string[]> = {
    products: [],
    prices: [],
    features: [],
    meters: [],
    coupons: [],
    promotion_codes: [],
    tax_rates: [],
    portal: [],
  }
  const seen = new Set<string>()
  const add = (kind: ResourceKind, id: string) => {
    const list = listOf[kind]
    const key = `${kind}:${id}`
    if (list === undefined || seen.has(key) || refused.has(key)) return
    seen.add(key)
    archived[list].push(id)
  }
  for (const change of plan.changes) add(change.kind, change.configId)
  for (const step of plan.steps) add(step.kind, step.configId)
  return archived
}
