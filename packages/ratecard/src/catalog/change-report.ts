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
  tax_rates: { created: string[]; updated: string[]; archived: string[] }
  portal: { created: string[]; updated: string[]; archived: string[] }
}

/**
 * The change report stored with a version. It contains the lists of the API's report, and also the ids of removed webhooks and of
 * overridden policies.
 */
export interface KeptReport {
  readonly changes: ChangeReport
  /** Ids of the policies that were overridden. */
  readonly overrides: readonly string[]
  readonly archivedWebhooks: readonly string[]
  /** Actions that have no list of their own in the report. */
  readonly actions: readonly ListlessAction[]
  /** The change that says most of the revision; null for one without changes, and for those of before it was kept. */
  readonly headline: Headline | null
}

/** One change in words, e.g. of `solo_monthly` from `€16.00 / month` to `€17.00 / month`. */
export interface Headline {
  readonly kind: ResourceKind
  readonly configId: string
  readonly action: Exclude<PlannedChange['action'], 'keep'>
  readonly before: string | null
  readonly after: string | null
}

interface ListlessAction {
  readonly kind: ResourceKind
  readonly configId: string
  readonly action: 'adopt' | 'reactivate' | 'rename' | 'replace'
}

/** Returns the report as JSON text, to be read by {@link readReport}. */
export function reportText(changes: readonly PlannedChange[], overrides: readonly string[] = []): string {
  const archived_webhooks = changes.flatMap((change) =>
    change.kind === 'webhook' && change.action === 'archive' && change.reason === 'removed' ? [change.configId] : [],
  )
  const actions = changes.flatMap((change) => {
    const { kind, configId: config_id, action } = change
    // A push that continues a killed one finds what that one created: it was created, not adopted.
    if (change.action === 'adopt' && !change.foreign) return []
    return action === 'adopt' || action === 'reactivate' || action === 'rename' || action === 'replace'
      ? [{ kind, config_id, action }]
      : []
  })
  const headline = headlineOf(changes)
  return JSON.stringify({
    ...changeReport(changes),
    ...(headline === null ? {} : { headline }),
    ...(actions.length === 0 ? {} : { actions }),
    ...(archived_webhooks.length === 0 ? {} : { archived_webhooks }),
    ...(overrides.length === 0 ? {} : { overrides }),
  })
}

/** Longest line (characters) of a headline. A price with many tiers has a longer one. */
const longestLine = 160

/** Chooses a price that gets another amount; else a price that is new or goes; else the first change. */
function headlineOf(changes: readonly PlannedChange[]): object | null {
  const told = changes.filter(({ action }) => action !== 'keep')
  const prices = told.filter(({ kind }) => kind === 'price')
  const isMoved = ({ display: { before, after } }: PlannedChange) =>
    before !== null && after !== null && before !== after
  const one = prices.find(isMoved) ?? prices[0] ?? told[0]
  if (one === undefined) return null
  const line = (text: string | null) =>
    text === null || text.length <= longestLine ? text : `${text.slice(0, longestLine)}…`
  const { kind, configId, action, display } = one
  return { kind, config_id: configId, action, before: line(display.before), after: line(display.after) }
}

/** Parses a stored report. A list that was empty is not stored. */
export function readReport(text: string): KeptReport {
  const {
    archived_webhooks: archivedWebhooks = [],
    overrides = [],
    actions = [],
    headline,
    ...changes
  } = JSON.parse(text) as Partial<
    ChangeReport & {
      readonly archived_webhooks: readonly string[]
      readonly overrides: readonly string[]
      readonly actions: readonly Stored<ListlessAction>[]
      readonly headline: Stored<Headline>
    }
  >
  const named = <T extends { readonly configId: string }>({ config_id: configId, ...one }: Stored<T>) => ({
    ...one,
    configId,
  })
  return {
    changes: changes as ChangeReport,
    archivedWebhooks,
    overrides,
    actions: actions.map(named<ListlessAction>),
    headline: headline === undefined ? null : named<Headline>(headline),
  }
}

type Stored<T extends { readonly configId: string }> = Omit<T, 'configId'> & { readonly config_id: string }

export function emptyReport(): ChangeReport {
  return {
    products: { created: [], updated: [], archived: [] },
    prices: { created: [], updated: [], archived: [] },
    features: { created: [], updated: [], archived: [] },
    meters: { created: [], updated: [], deactivated: [] },
    webhooks: { created: [], updated: [], unchanged: [] },
    coupons: { created: [], updated: [], archived: [] },
    promotion_codes: { created: [], updated: [], archived: [] },
    tax_rates: { created: [], updated: [], archived: [] },
    portal: { created: [], updated: [], archived: [] },
  }
}

type ReportBucket = 'created' | 'updated' | 'archived' | 'unchanged'

/**
 * Returns the resource ids by kind and action, in document order. Every list is present, even if empty. Stray objects (left behind by an
 * abandoned push) and removed webhooks appear only in `details`, because the report has no lists for them.
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
    case 'tax_rate':
      return outcome === 'unchanged' ? undefined : report.tax_rates[outcome]
    case 'portal':
      return outcome === 'unchanged' ? undefined : report.portal[outcome]
  }
}
