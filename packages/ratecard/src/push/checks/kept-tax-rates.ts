// Check for tax rates that a plan replaces or archives. Running subscriptions keep such a rate, because the processor never moves them.
import { ownersOf } from '../../catalog/owners.ts'
import type { Planned } from './planned.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { Issue } from '../../base/errors/issue.ts'
import { readForPush } from '../../processor/failures.ts'
import type { UseDeps } from './price-uses.ts'
import type { TaxedSubscription } from '../../store/records/mirror.ts'

/** Number of subscriptions that a warning names. It counts the others. */
const named = 5
/**
 * Maximum number of list pages (100 subscriptions each) that are read at the processor if the mirror (the local copy of subscriptions) is
 * not complete.
 */
const maxPages = 50

/** Returns one warning for each tax rate that is replaced or archived, with the number of subscriptions that keep it. */
export async function keptTaxRates(deps: UseDeps, input: Planned, signal: AbortSignal): Promise<Issue[]> {
  const { place } = input
  const left = leftRates(input)
  if (left.length === 0) return []
  const { subscriptions, complete } = await taxedWith(deps, new Set(left.flatMap(({ rates }) => rates)), signal)
  return left.flatMap(({ configId, rates, action }) => {
    const keep = subscriptions.filter(({ taxRates }) => taxRates.some((rate) => rates.includes(rate)))
    if (keep.length === 0) return []
    return [
      {
        code: 'tax_rate_kept',
        pointer: place('tax_rate', configId),
        severity: 'warning' as const,
        detail: `${countOf(keep.length, complete)} the current tax rate "${configId}" (${namesOf(keep)}); ${action === 'replace' ? 'the new one applies to new sales' : 'it is archived for new sales'}.`,
        hint: 'A push does not change subscriptions. If the new rate applies to them, change their tax at the processor.',
      },
    ]
  })
}

interface LeftRate {
  readonly configId: string
  readonly action: 'replace' | 'archive'
  /** Processor ids of the rate: the present one, and former ones that subscriptions may still have. */
  readonly rates: readonly ProcessorId[]
}

function leftRates({ plan, mappings }: Planned): LeftRate[] {
  const owners = [...ownersOf('tax_rate', mappings)]
  const renamed = new Map(plan.renames.filter(({ kind }) => kind === 'tax_rate').map(({ from, to }) => [to, from]))
  return plan.changes.flatMap(({ kind, action, configId }) => {
    if (kind !== 'tax_rate' || (action !== 'replace' && action !== 'archive')) return []
    const rates = owners.flatMap(([rate, owner]) =>
      owner === configId || owner === renamed.get(configId) ? [rate] : [],
    )
    return [{ configId, action, rates }]
  })
}

async function taxedWith(
  { store, processor, mirror }: UseDeps,
  rates: ReadonlySet<ProcessorId>,
  signal: AbortSignal,
): Promise<{ readonly subscriptions: readonly TaxedSubscription[]; readonly complete: boolean }> {
  const { asOf } = await mirror.status()
  if (asOf !== null) return { subscriptions: await store.mirror.taxedWith([...rates]), complete: true }
  const { subscriptions, complete } = await readForPush(() => processor.someSubscriptions(maxPages, signal))
  const taxed = subscriptions.filter(({ taxRates }) => taxRates.some((rate) => rates.has(rate)))
  const tenants = await store.tenants.idsByCustomer(new Set(taxed.map(({ customer }) => customer)))
  return {
    complete,
    subscriptions: taxed.map(({ id, customer, taxRates }) => ({
      subscription: id,
      tenantId: tenants.get(customer) ?? null,
      taxRates,
    })),
  }
}

function countOf(number: number, complete: boolean): string {
  const counted = `${complete ? '' : 'At least '}${String(number)}`
  return number === 1 ? `${counted} subscription keeps` : `${counted} subscriptions keep`
}

function namesOf(subscriptions: readonly TaxedSubscription[]): string {
  const names = subscriptions
    .slice(0, named)
    .map(({ subscription, tenantId }) => (tenantId === null ? subscription : `${subscription} of ${tenantId}`))
  const more = subscriptions.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
}
