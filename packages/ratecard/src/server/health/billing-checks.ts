// Checks of `ratecard doctor` about billing: unpaid renewals, open invoices, unbilled usage, edits at the processor, and failing schedules.
// The detail of each finding begins with a number, and the hint names the command that shows more.
import { ServiceError } from '../../base/errors/service-error.ts'
import { formatMinor } from '../../base/money/format.ts'
import type { DriftReport } from '../../api/push/config.ts'
import type { Finding } from '../../api/server/server.ts'
import type { CronRunView } from '../../api/workers/worker-runs.ts'
import type { WorkerView } from '../../api/workers/workers.ts'
import type { PageQuery } from '../../store/records/page.ts'
import type { MirrorReads } from '../../customers/mirror/reads/operations.ts'

/** Reports of the last 30 days that nobody pays for. */
interface UnbilledUsage {
  readonly tenantId: string
  readonly meter: string
  readonly reports: number
}

export interface BillingChecksDeps {
  readonly operations: Pick<MirrorReads, 'listTenants' | 'billingGauges'> & {
    readonly drift: () => Promise<DriftReport>
    readonly listWorkers: () => Promise<readonly WorkerView[]>
    readonly cronRuns: (
      name: string,
      page: PageQuery & { readonly cron: string },
    ) => Promise<{ readonly items: readonly CronRunView[] }>
    readonly unbilledUsage: () => Promise<readonly UnbilledUsage[]>
  }
}

type Found = Omit<Finding, 'check'>

const late = ['past_due', 'unpaid'] as const

/** Finds tenants with a subscription whose renewal was not paid. */
export async function checkPastDue({ operations }: BillingChecksDeps): Promise<Found> {
  return fromMirror(async () => {
    const totals = await Promise.all(
      late.map(async (state) => (await operations.listTenants({ state, limit: 1, offset: 0 })).total),
    )
    const all = totals.reduce((sum, total) => sum + total, 0)
    if (all === 0) return { status: 'ok', detail: '0 tenants are past due' }
    const shown = late[totals.findIndex((total) => total > 0)] ?? late[0]
    return {
      status: 'warning',
      detail: `${all === 1 ? '1 tenant is' : `${String(all)} tenants are`} past due: a renewal was not paid.`,
      hint: `\`ratecard tenants list --state ${shown}\` shows who.`,
    }
  })
}

/** Adds up the unpaid amounts of open invoices, including invoices that are not due yet. */
export async function checkOwed({ operations }: BillingChecksDeps): Promise<Found> {
  return fromMirror(async () => {
    const { total } = await operations.listTenants({ owing: true, limit: 1, offset: 0 })
    const owed = Object.entries((await operations.billingGauges())?.owed ?? {}).filter(([, amount]) => amount > 0)
    if (owed.length === 0) return { status: 'ok', detail: 'no tenant owes anything' }
    const amounts = owed.map(([currency, amount]) => formatMinor(amount, currency)).join(' and ')
    return {
      // The status is `ok`, because an invoice that is not due yet needs no action. The check `past due` warns about overdue ones.
      status: 'ok',
      detail: `${amounts} of open invoices is owed by ${total === 1 ? '1 tenant' : `${String(total)} tenants`}.`,
      hint: '`ratecard tenants list --owing --sort owed` shows who owes it, `ratecard tenants invoices <id>` since when.',
    }
  })
}

/** Maximum number of tenants and meters that a finding names. */
const mostNamed = 5

/** Finds usage of the last 30 days that was recorded for tenants without a subscription item for the meter. */
export async function checkUnbilledUsage({ operations }: BillingChecksDeps): Promise<Found> {
  const counts = await operations.unbilledUsage()
  const [first] = counts
  if (first === undefined)
    return {
      status: 'ok',
      detail: '0 usage reports of the last 30 days came from tenants that have no item for the meter',
    }
  const reports = counts.reduce((sum, { reports: ofOne }) => sum + ofOne, 0)
  const named = counts
    .slice(0, mostNamed)
    .map(({ tenantId, meter, reports: ofOne }) => `${tenantId} on "${meter}" (${String(ofOne)})`)
  const more = counts.length > mostNamed ? `; and ${String(counts.length - mostNamed)} more` : ''
  return {
    status: 'warning',
    detail: `${reports === 1 ? '1 usage report' : `${String(reports)} usage reports`} of the last 30 days came from tenants that have no item for the meter, so the usage is not paid for: ${named.join('; ')}${more}`,
    hint: `\`ratecard tenants subscriptions ${first.tenantId}\` shows what it pays for. Sell it a price of the meter, or report with \`strict\`, which refuses such usage.`,
  }
}

/** Finds fields that were edited at the processor since the last push. */
export async function checkDrift({ operations }: BillingChecksDeps): Promise<Found> {
  try {
    return driftFinding(await operations.drift())
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'config_not_found')
      return { status: 'ok', detail: 'no price list was pushed yet' }
    throw error
  }
}

export function driftFinding({ editedFields }: Pick<DriftReport, 'editedFields'>): Found {
  if (editedFields === 0) return { status: 'ok', detail: '0 fields were edited at the processor' }
  return {
    status: 'warning',
    detail: `${editedFields === 1 ? '1 field was' : `${String(editedFields)} fields were`} edited at the processor since the last push.`,
    hint: '`ratecard billing drift` shows each.',
  }
}

/** Outcomes of a scheduled run that are no failure. */
const fine: ReadonlySet<string> = new Set(['ok', 'skipped', 'running'])

/** Finds schedules of workers whose last finished run failed. */
export async function checkSchedules({ operations }: BillingChecksDeps): Promise<Found> {
  const failing: string[] = []
  let schedules = 0
  for (const { name, crons } of await operations.listWorkers()) {
    schedules += crons.length
    for (const { cron } of crons) {
      const { items } = await operations.cronRuns(name, { limit: 5, offset: 0, cron })
      const last = items.find(({ outcome }) => outcome !== 'running' && outcome !== 'skipped')
      if (last !== undefined && !fine.has(last.outcome)) failing.push(name)
    }
  }
  const [first] = failing
  if (first === undefined)
    return {
      status: 'ok',
      detail: schedules === 0 ? 'no worker has a schedule' : `0 of ${String(schedules)} schedules fail`,
    }
  return {
    status: 'warning',
    detail: `${String(failing.length)} of ${String(schedules)} schedules failed at ${failing.length === 1 ? 'its' : 'their'} last run: ${[...new Set(failing)].join(', ')}.`,
    hint: `\`ratecard cloud workers cron runs ${first}\` shows why.`,
  }
}

/**
 * Runs a check that reads the mirror. If the mirror is off or not complete, the finding states this with status `ok`, because the check
 * `mirror` already reports it.
 */
async function fromMirror(check: () => Promise<Found>): Promise<Found> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'mirror_off' || error.code === 'mirror_filling'))
      return { status: 'ok', detail: `not known: ${error.message}` }
    throw error
  }
}
