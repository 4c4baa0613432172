// The change report of a push as the API returns it, in snake_case. It is stored and served without conversion.
import type { PlannedChange } from './change.ts'
import type { ResourceKind } from './kinds.ts'

export interface ChangeReport {
  products: { created: string[]; updated: string[]; archived: string[] }
  prices: { created: string[]; updated: string[]; archived: string[] }
  features: { created: string[]; updated: string[]; archived: string[] }
  meters: { created: string[]; updated: string[]; deactivated: string[] }
  webhooks: { created: string[]; updated: string[]; unchanged: string[] }
  coupons: { created: string[]; updated: string[]; archived: string[] }
  promotion_codes: { created: string[]; updated: string[]; archived: string[] }
}

/** The change report stored with a version. Besides the lists of the API's report it contains the ids of removed webhooks. */
export interface KeptReport {
  readonly changes: ChangeReport
  readonly archivedWebhooks: readonly string[]
}

/** Returns the report as JSON text, to be read by {@link readReport}. */
export function reportText(changes: readonly PlannedChange[]): string {
  const archived_webhooks = changes.flatMap((change) =>
    change.kind === 'webhook' && change.action === 'archive' && change.reason === 'removed' ? [change.configId] : [],
  )
  return JSON.stringify({ ...changeReport(changes), ...(archived_webhooks.length === 0 ? {} : { archived_webhooks }) })
}

/** Parses a stored report. A list that an older release did not write is empty. */
export function readReport(text: string): KeptReport {
  const { archived_webhooks: archivedWebhooks = [], ...changes } = JSON.parse(text) as Partial<ChangeReport> & {
    readonly archived_webhooks?: readonly string[]
  }
  return { changes: { ...emptyReport(), ...changes }, archivedWebhooks }
}

export function emptyReport(): ChangeReport {
  return {
    products: { created: [], updated: [], archived: [] },
    prices: { created: [], updated: [], archived: [] },
    features: { created: [], updated: [], archived: [] },
    meters: { created: [], updated: [], deactivated: [] },
    webhooks: { created: [], updated: [], unchanged: [] },
    coupons: { created: [], updated: [], archived: [] },
    promotion_codes: { created: [], updated: [], archived: [] },
  }
}

type ReportBucket = 'created' | 'updated' | 'archived' | 'unchanged'

/**
 * Returns the resource ids by kind and action, in document order. Every list is present, even if empty. Stray objects (left behind by an
 * abandoned push) and removed webhooks appear only in `details`, because the report has no list for either.
 */
export function changeReport(changes: readonly PlannedChange[]): ChangeReport {
  const report = emptyReport()
  for (const change of changes) {
    const outcome = outcomeOf(change)
    if (outcome !== null) listFor(report, change.kind, outcome)?.push(change.configId)
  }
  return report
}

function outcomeOf(change: PlannedChange): ReportBucket | null {
  switch (change.action) {
    case 'create':
    case 'adopt':
    case 'reactivate':
      return 'created'
    case 'update':
    case 'rename':
    case 'replace':
      return 'updated'
    case 'archive':
      return change.reason === 'removed' ? 'archived' : null
    case 'keep':
      return 'unchanged'
  }
}

function listFor(report: ChangeReport, kind: ResourceKind, outcome: ReportBucket): string[] | undefined {
  switch (kind) {
    case 'product':
      return outcome === 'unchanged' ? undefined : report.products[outcome]
    case 'price':
      return outcome === 'unchanged' ? undefined : report.prices[outcome]
    case 'feature':
      return outcome === 'unchanged' ? undefined : report.features[outcome]
    case 'meter':
      return outcome === 'unchanged' ? undefined : report.meters[outcome === 'archived' ? 'deactivated' : outcome]
    case 'webhook':
      return outcome === 'archived' ? undefined : report.webhooks[outcome]
    case 'coupon':
      return outcome === 'unchanged' ? undefined : report.coupons[outcome]
    case 'promotion_code':
      return outcome === 'unchanged' ? undefined : report.promotion_codes[outcome]
  }
}
