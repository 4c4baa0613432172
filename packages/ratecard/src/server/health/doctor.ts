// The checks of `ratecard doctor`, which detect problems before they cause failures. Each check returns one finding with the next step.
import { reportUsageAgain } from '../../base/errors/advice.ts'
import { endpointLimit } from '../../catalog/plan/webhooks.ts'
import type { Processor } from '../../processor/processor.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import { leaseOf } from '../../acts/kinds.ts'
import { readSoldItems } from '../../customers/item-swaps/sold-items.ts'
import { duplicatesAmong, inCommon, type Duplicate } from '../../customers/item-swaps/duplicate-subscriptions.ts'
import type { PriceBook } from '../../customers/item-swaps/price-book.ts'
import { currentRules } from '../../acts/guard-rails/guard.ts'
import { elsewhereText } from '../../catalog/policies/elsewhere.ts'
import { pushLease } from '../../acts/lease.ts'
import { verifyHistory } from '../../store/history-chain.ts'
import { jobKinds } from '../../store/records/journal.ts'
import type { Store } from '../../store/store.ts'
import { checkDrift, checkOwed, checkPastDue, checkSchedules, checkUnbilledUsage } from './billing-checks.ts'
import type { BillingChecksDeps } from './billing-checks.ts'
import { checkCredits, type CreditCheckDeps } from './credit-check.ts'
import { checkCountedUsage, type CountedUsageDeps } from './counted-usage-check.ts'
import { checkCustomers, type CustomersCheckDeps } from './customers-check.ts'
import { checkMirror, type MirrorCheckDeps } from './mirror-check.ts'
import type { Finding } from '../../api/server/server.ts'

export interface DoctorDeps
  extends BillingChecksDeps, MirrorCheckDeps, CountedUsageDeps, CustomersCheckDeps, CreditCheckDeps {
  readonly store: Store
  readonly processor: Processor
  readonly processorName: string
  /** Name of the server's environment; null if it is unknown. */
  readonly environment: string | null
  /** Returns the prices of the applied configuration. A renamed price has its current id. */
  readonly priceBook: () => Promise<PriceBook>
  readonly workers: { state(): Promise<{ readonly available: boolean; readonly detail: string } | null> }
  readonly signal: AbortSignal
}

/** Maximum number of list pages (100 subscriptions each) that the check reads, so that it does not take minutes. */
const subscriptionPages = 20
const mostNamed = 5

/** Time (ms) that the checks wait for the first answer of the processor. Without one, the checks that ask it are not run. */
const processorPatienceMs = 2_000

/** Checks that ask the processor, or would only report its outage again. */
const askingProcessor: ReadonlySet<string> = new Set([
  'webhooks',
  'lookup keys',
  'subscriptions',
  'usage',
  'drift',
  'mirror',
])

/**
 * Checks store, history, processor account, unfinished pushes, webhooks and more. Changes nothing but its own lists. A check that throws
 * becomes a finding. If the processor does not answer, that is one finding, and the checks that ask it are `not_checked`.
 */
export async function runChecks(deps: DoctorDeps): Promise<Finding[]> {
  const checks: readonly [string, () => Promise<Omit<Finding, 'check'>>][] = [
    ['store', () => checkStore(deps)],
    ['history', () => checkHistory(deps)],
    ['processor', () => checkAccount(deps)],
    ['pushes', () => checkPushes(deps)],
    ['policies', () => checkPolicies(deps)],
    ['webhooks', () => checkWebhooks(deps)],
    ['lookup keys', () => checkLookupKeys(deps)],
    ['subscriptions', () => checkSubscriptions(deps)],
    ['customers', () => checkCustomers(deps)],
    ['usage', () => checkUsage(deps)],
    ['unbilled usage', () => checkUnbilledUsage(deps)],
    ['counted usage', () => checkCountedUsage(deps)],
    ['credits', () => checkCredits(deps)],
    ['drift', () => checkDrift(deps)],
    ['past due', () => checkPastDue(deps)],
    ['owed', () => checkOwed(deps)],
    ['mirror', () => checkMirror(deps)],
    ['workers', () => checkWorkers(deps)],
    ['schedules', () => checkSchedules(deps)],
  ]
  const findings: Finding[] = []
  let isSilent = false
  for (const [check, run] of checks) {
    if (isSilent && askingProcessor.has(check)) {
      findings.push({ check, status: 'not_checked', detail: 'not checked, because the processor does not answer' })
      continue
    }
    try {
      findings.push({ check, ...(await run()) })
    } catch (error) {
      findings.push({ check, status: 'problem', detail: error instanceof Error ? error.message : 'The check failed.' })
      if (check === 'processor') isSilent = !(error instanceof ProcessorError) || error.kind !== 'unauthorized'
    }
  }
  return findings
}

async function checkStore({ store }: DoctorDeps): Promise<Omit<Finding, 'check'>> {
  await store.ping()
  return { status: 'ok', detail: store.engine === 'sqlite' ? 'embedded SQLite' : 'PostgreSQL' }
}

async function checkHistory({ store }: DoctorDeps): Promise<Omit<Finding, 'check'>> {
  const { ok, checked, brokenAt } = await verifyHistory(store)
  const revisions = checked === 1 ? '1 revision' : `${String(checked)} revisions`
  if (ok) return { status: 'ok', detail: `${revisions}, hash chain intact` }
  return {
    status: 'problem',
    detail: `The hash chain breaks at revision ${String(brokenAt)}: the record was changed after it was written.`,
    hint: 'Restore the database from a backup.',
  }
}

async function checkPolicies({ store, environment }: DoctorDeps): Promise<Omit<Finding, 'check'>> {
  const rules = await currentRules(store)
  const held = `${rules.length === 1 ? '1 policy' : `${String(rules.length)} policies`}`
  const elsewhere = elsewhereText(rules, environment)
  return { status: 'ok', detail: elsewhere === null ? held : `${held}. ${elsewhere}` }
}

async function checkAccount({ store, processor, processorName, signal }: DoctorDeps): Promise<Omit<Finding, 'check'>> {
  const patience = AbortSignal.timeout(processorPatienceMs)
  const account = await processor.account(AbortSignal.any([signal, patience])).catch((error: unknown) => {
    throw patience.aborted
      ? new ProcessorError('timeout', `${processorName} has not answered within 2 seconds.`, {}, error)
      : error
  })
  const mine = `${account.id} ${account.livemode ? 'live' : 'test'}`
  const bound = await store.facts.get('processor_account')
  if (bound !== null && bound !== mine)
    return {
      status: 'problem',
      detail: `This environment belongs to ${bound}, but the key is of ${mine}.`,
      hint: 'Use the key of that account, or another data directory.',
    }
  return { status: 'ok', detail: `${processorName}, account ${account.id}, ${account.livemode ? 'live' : 'test'} mode` }
}

async function checkPushes({ store }: DoctorDeps): Promise<Omit<Finding, 'check'>> {
  // A `planned` push has sent none of its steps, so it needs no attention, even if its process died.
  const [first] = (await store.pushes.unresolved()).filter(({ state }) => state !== 'planned')
  if (first === undefined) return checkUnanswered(store)
  if (await store.held(pushLease)) return { status: 'ok', detail: `push ${first.id} is running` }
  return {
    status: 'warning',
    detail: `Push ${first.id} was interrupted after ${String(first.stepsDone)} of ${String(first.stepsTotal)} steps.`,
    hint: `Finish it with \`ratecard billing resume ${first.id}\`, or push again.`,
  }
}

/** Finds writes of jobs that got no response, although no process runs the job. */
async function checkUnanswered(store: DoctorDeps['store']): Promise<Omit<Finding, 'check'>> {
  for (const { job, step } of await store.jobs.unanswered(jobKinds)) {
    if (await store.held(leaseOf(job))) continue
    return {
      status: 'warning',
      detail: `Step ${String(step.index + 1)} of job ${job.id} was sent to the processor and got no response.`,
      hint: `See \`ratecard jobs show ${job.id}\`. The next change of the same subscription or webhook resolves it first.`,
    }
  }
  return { status: 'ok', detail: 'no unfinished push' }
}

/**
 * Finds configured lookup keys that belong to a different price at the processor. A checkout by lookup key would sell that price instead of
 * the configured one.
 */
async function checkLookupKeys({ priceBook, processor, signal }: DoctorDeps): Promise<Omit<Finding, 'check'>> {
  const { price: live } = await processor.snapshot({ signal, attachments: false })
  const holders = new Map(live.filter(({ active }) => active).map((one) => [one.fields.lookupKey, one.processorId]))
  const wrong = (await priceBook()).prices.flatMap(({ price, processorId }) => {
    const key = price.lookup_key ?? (price.processor_id === undefined ? price.id : '')
    const holder = key === '' ? undefined : holders.get(key)
    return processorId === null || holder === undefined || holder === processorId ? [] : [{ key, holder, processorId }]
  })
  const [first] = wrong
  if (first === undefined) return { status: 'ok', detail: 'every lookup key belongs to the price of the configuration' }
  return {
    status: 'warning',
    detail: `The lookup key ${JSON.stringify(first.key)} belongs to ${first.holder} at the processor; the configuration's price is ${first.processorId}.${wrong.length > 1 ? ` ${String(wrong.length - 1)} more are wrong.` : ''}`,
    hint: 'See `ratecard billing drift`. The next push corrects it.',
  }
}

async function checkWebhooks({ processor, signal }: DoctorDeps): Promise<Omit<Finding, 'check'>> {
  const { webhook } = await processor.snapshot({ signal, attachments: false })
  const detail = `${String(webhook.length)} of ${String(endpointLimit)} webhook endpoints used`
  if (webhook.length < endpointLimit) return { status: 'ok', detail }
  return { status: 'warning', detail, hint: 'Delete unused endpoints. The processor would refuse another one.' }
}

/** Finds duplicate subscriptions, e.g. after a customer paid two open checkout pages. */
async function checkSubscriptions({
  store,
  processor,
  priceBook,
  signal,
}: DoctorDeps): Promise<Omit<Finding, 'check'>> {
  const { subscriptions, complete } = await processor.someSubscriptions(subscriptionPages, signal)
  const customers = new Map(subscriptions.map(({ id, customer }) => [id, customer]))
  const soldItem = await readSoldItems(store, await priceBook(), subscriptions)
  const found: string[] = []
  const tenants = new Set<string>()
  for (const duplicate of duplicatesAmong(subscriptions.toReversed(), soldItem)) {
    const tenant = await store.tenants.findByCustomer(customers.get(duplicate.subscription) ?? '')
    if (tenant === null) continue
    tenants.add(tenant.id)
    found.push(`${tenant.id}: ${twoOf(duplicate)}`)
  }
  const seen = complete ? '' : ` (of the newest ${String(subscriptions.length)} subscriptions)`
  const [first] = tenants
  if (first === undefined)
    return { status: 'ok', detail: `no tenant is billed twice for one product or subscription group${seen}` }
  const more = found.length > mostNamed ? `; and ${String(found.length - mostNamed)} more` : ''
  const pay = tenants.size === 1 ? '1 tenant pays' : `${String(tenants.size)} tenants pay`
  return {
    status: 'warning',
    detail: `${pay} twice for one product or subscription group${seen}: ${found.slice(0, mostNamed).join('; ')}${more}`,
    hint: `\`ratecard tenants show ${first}\` shows both. Cancel one of the two at the processor and refund it.`,
  }
}

function twoOf({ subscription, item, beside }: Duplicate): string {
  const common = inCommon(item, beside.item)
  if (item.priceId !== null && item.priceId === beside.item.priceId)
    return `${subscription} beside ${beside.subscription}, both to "${item.priceId}"`
  return `${subscription} to "${item.name}" beside ${beside.subscription} to "${beside.item.name}", both of ${common}`
}

/** Finds usage that the processor accepted and dropped later. */
async function checkUsage({ store, processor, signal }: DoctorDeps): Promise<Omit<Finding, 'check'>> {
  const errors = await processor.usageErrors(signal)
  const dropped = errors.reduce((sum, { count }) => sum + count, 0)
  if (dropped === 0) return { status: 'ok', detail: 'no usage was dropped in the last 30 days' }
  const named: string[] = []
  for (const { meter, code, count, message, identifiers } of errors.slice(0, mostNamed)) {
    const [entry] = meter === null ? [] : (await store.mappings.byProcessorId(meter)).slice(-1)
    const of = meter === null ? 'no meter' : `meter "${entry?.configId ?? meter}"`
    const which = identifiers[0] === undefined ? '' : `, for example ${identifiers[0]}`
    named.push(`${of}: ${String(count)} × ${code}${which} (${message})`)
  }
  const more = errors.length > mostNamed ? `; and ${String(errors.length - mostNamed)} more reports` : ''
  return {
    status: 'warning',
    detail: `${String(dropped)} usage events were accepted and then dropped in the last 30 days: ${named.join('; ')}${more}`,
    hint: `They are not billed; \`ratecard billing usage\` shows each. ${reportUsageAgain}`,
  }
}

async function checkWorkers({ workers }: DoctorDeps): Promise<Omit<Finding, 'check'>> {
  const runtime = await workers.state()
  if (runtime === null) return { status: 'ok', detail: 'off on this replica' }
  if (runtime.available) return { status: 'ok', detail: runtime.detail }
  return {
    status: 'warning',
    detail: runtime.detail,
    hint: 'Everything else works. To switch workers off without this warning, set RATECARD_WORKERS=off.',
  }
}
