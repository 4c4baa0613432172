// The check `customers` of `ratecard doctor`: what a restore cannot know. Customers that name a tenant which this store does not have, tenants
// that are billed by several customers, deals whose prices are not billed, and customers that were deleted at the processor.
import { yieldToRequests } from '../../base/event-loop.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { Mirror } from '../../customers/mirror/mirror.ts'
import type { Store } from '../../store/store.ts'
import type { Finding } from '../../api/server/server.ts'

export interface CustomersCheckDeps {
  readonly store: Pick<Store, 'tenants' | 'mirror'>
  readonly mirror: Pick<Mirror, 'status'>
  readonly dealDifferences: () => Promise<
    readonly {
      readonly tenantId: string
      readonly subscription: string
      readonly price: string
      readonly kind: 'missing' | 'foreign'
    }[]
  >
}

const page = 500
const mostNamed = 5

export async function checkCustomers(deps: CustomersCheckDeps): Promise<Omit<Finding, 'check'>> {
  const { state } = await deps.mirror.status()
  if (state !== 'ready') return { status: 'ok', detail: `not checked, because the mirror is ${state}` }
  const found = [...(await markFindings(deps)), ...(await deletedFindings(deps)), ...(await dealFindings(deps))]
  const [first] = found
  if (first === undefined)
    return { status: 'ok', detail: 'every customer that names a tenant is the one of that tenant' }
  return { status: 'warning', detail: found.map(({ detail }) => detail).join(' '), hint: first.hint }
}

interface Found {
  readonly detail: string
  readonly hint: string
}

/** Names up to five of several things. */
function nameFew(things: readonly string[]): string {
  const more = things.length > mostNamed ? ` and ${String(things.length - mostNamed)} more` : ''
  return `${things.slice(0, mostNamed).join(', ')}${more}`
}

/** Customers that name a tenant, but are not linked to it. */
async function markFindings({ store }: CustomersCheckDeps): Promise<readonly Found[]> {
  const lost: string[] = []
  const twice: string[] = []
  for await (const { id, tenant } of unlinkedCustomers(store)) {
    const live = (await store.mirror.subscriptionsOf(id)).filter(({ endedAt }) => endedAt === null)
    const own = await store.tenants.find(tenant)
    // The customer of a tenant that was deleted here keeps its mark.
    if (own === null && (await store.tenants.audit(tenant, { limit: 1, offset: 0 })).total === 0)
      lost.push(`${id} ("${tenant}")`)
    if (own === null || live.length === 0 || own.processorCustomerId === null) continue
    const others = await store.mirror.subscriptionsOf(own.processorCustomerId as ProcessorId)
    if (others.some(({ endedAt }) => endedAt === null)) twice.push(`${tenant} (${own.processorCustomerId} and ${id})`)
  }
  const found: Found[] = []
  if (twice.length > 0)
    found.push({
      detail: `Several customers with live subscriptions name one tenant, which may pay twice: ${nameFew(twice)}.`,
      hint: 'Look at both customers at the processor. Cancel one of the two subscriptions and refund it.',
    })
  if (lost.length > 0)
    found.push({
      detail: `Customers name tenants that do not exist here: ${nameFew(lost)}.`,
      hint: 'Create these tenants again with their ids; each takes the customer that names it.',
    })
  return found
}

async function* unlinkedCustomers(store: CustomersCheckDeps['store']) {
  let after: string | null = null
  for (;;) {
    const marked: Awaited<ReturnType<typeof store.mirror.marked>> = await store.mirror.marked(after, page)
    const linked = await store.tenants.idsByCustomer(marked.map(({ id }) => id))
    for (const one of marked) if (!linked.has(one.id)) yield one
    if (marked.length < page) return
    after = marked.at(-1)?.id ?? null
    await yieldToRequests()
  }
}

async function deletedFindings({ store }: CustomersCheckDeps): Promise<readonly Found[]> {
  const deleted: ProcessorId[] = []
  for (let after: string | null = null; ;) {
    const customers: Awaited<ReturnType<typeof store.mirror.page<'customer'>>> = await store.mirror.page(
      'customer',
      after,
      page,
    )
    deleted.push(...customers.filter((one) => one.deleted).map(({ id }) => id))
    if (customers.length < page) break
    after = customers.at(-1)?.id ?? null
    await yieldToRequests()
  }
  const tenants = [...(await store.tenants.idsByCustomer(deleted)).values()]
  if (tenants.length === 0) return []
  return [
    {
      detail: `The customers of these tenants were deleted at the processor: ${nameFew(tenants)}.`,
      hint: 'The next checkout of such a tenant makes a new customer; or link another one to it.',
    },
  ]
}

async function dealFindings({ dealDifferences }: CustomersCheckDeps): Promise<readonly Found[]> {
  const all = await dealDifferences()
  const of = (wanted: 'missing' | 'foreign') =>
    all
      .filter(({ kind }) => kind === wanted)
      .map(({ tenantId, price, subscription }) => `${tenantId} ("${price}", ${subscription})`)
  const [missing, foreign] = [of('missing'), of('foreign')]
  const found: Found[] = []
  if (missing.length > 0)
    found.push({
      detail: `Subscriptions are not on the prices of their tenant’s deal: ${nameFew(missing)}.`,
      hint: 'Apply the deal to the tenant again; a dry run shows what would change.',
    })
  if (foreign.length > 0)
    found.push({
      detail: `Subscriptions are on prices of a deal that their tenant does not have: ${nameFew(foreign)}.`,
      hint: 'Apply that deal to the tenant, or remove its negotiated prices.',
    })
  return found
}
