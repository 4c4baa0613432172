// Balances and ledger of billing credits.
import { ledgerBalance, monetary } from '../../billing/credits/ledger.ts'
import { timeOf } from '../../billing/subscriptions/subscription-records.ts'
import type { CreditGrantBody, CreditScopeBody } from '../../objects/credit-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { listing, retrieve, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import { badRequest, missingParam } from '../../protocol/responses/errors.ts'
import { where } from '../../protocol/responses/list-pages.ts'
import { oneOf, required, shape, text, type Read } from '../../protocol/parameters/params.ts'
import { readScope, scopeParam } from './credit-grants.ts'

const filterFields = {
  applicability_scope: scopeParam,
  credit_grant: text(),
  type: required(oneOf('applicability_scope', 'credit_grant')),
}
const summaryFields = { customer: text(), filter: required(shape(filterFields)) }

function summary(outer: OperationContext): HandlerResult {
  const { customer: id, filter } = outer.read(summaryFields)
  if (id === undefined) throw missingParam('customer')
  const customer = outer.reference('customer', id, 'customer')
  const call = outer.at(timeOf(outer, customer.test_clock))
  const grants = grantsFor(call, customer.id, filter)
  const planned = plannedCredits(call, customer.id)
  const balances = new Map<string, { ledger: number; available: number }>()
  for (const grant of grants) {
    const { currency } = grant.amount.monetary
    const before = balances.get(currency) ?? { ledger: 0, available: 0 }
    const ledger = ledgerBalance(grant, call.now)
    const available = Math.max(0, ledger - (planned.get(grant.id) ?? 0))
    balances.set(currency, { ledger: before.ledger + ledger, available: before.available + available })
  }
  return {
    object: {
      id: '',
      object: 'billing.credit_balance_summary',
      balances: [...balances].map(([currency, { ledger, available }]) => ({
        available_balance: monetary(currency, available),
        ledger_balance: monetary(currency, ledger),
      })),
      customer: customer.id,
    },
  }
}

/** Returns the grants that a filter selects, oldest first. */
function grantsFor(call: OperationContext, customer: string, filter: Read<typeof filterFields>): CreditGrantBody[] {
  if (filter.type === 'credit_grant') {
    if (filter.applicability_scope !== undefined) throw onlyWith('applicability_scope', 'applicability_scope')
    if (filter.credit_grant === undefined) throw missingParam('filter[credit_grant]')
    const grant = call.reference('billing.credit_grant', filter.credit_grant, 'filter[credit_grant]')
    if (grant.customer === customer) return [grant]
    throw badRequest(`The credit grant ${grant.id} is not of the customer ${customer}.`, 'filter[credit_grant]')
  }
  if (filter.credit_grant !== undefined) throw onlyWith('credit_grant', 'credit_grant')
  if (filter.applicability_scope === undefined) throw missingParam('filter[applicability_scope]')
  const scope = readScope(call, filter.applicability_scope, 'filter[applicability_scope]')
  return call
    .select('billing.credit_grant', [{ field: 'customer', is: customer }])
    .filter((grant) => covers(grant.applicability_config.scope, scope))
    .reverse()
}

function onlyWith(param: string, type: string): Error {
  return badRequest(`\`${param}\` is only valid when \`filter[type]\` is \`${type}\`.`, `filter[${param}]`)
}

/** True if a grant applies to every price of a scope. A grant for a list of prices does not apply to all metered prices. */
function covers(grant: CreditScopeBody, scope: CreditScopeBody): boolean {
  if (grant.prices === undefined) return true
  const own = new Set(grant.prices.map(({ id }) => id))
  return scope.prices?.every(({ id }) => own.has(id)) ?? false
}

/** Returns the credits (minor units) of each grant that the customer's draft invoices show. Finalization records them. */
function plannedCredits(call: OperationContext, customer: string): ReadonlyMap<string, number> {
  const planned = new Map<string, number>()
  const drafts = call.select('invoice', [
    { field: 'customer', is: customer },
    { field: 'status', is: 'draft' },
  ])
  for (const { _planned_credits: credits = {} } of drafts)
    for (const [grant, value] of Object.entries(credits)) planned.set(grant, (planned.get(grant) ?? 0) + value)
  return planned
}

const transactions = '/v1/billing/credit_balance_transactions'
const of = 'billing.credit_balance_transaction'

export const creditBalances: readonly Operation[] = [
  { method: 'GET', path: '/v1/billing/credit_balance_summary', of: 'billing.credit_balance_summary', run: summary },
  listing(transactions, of, { credit_grant: text() }, { customer: text() }, ({ customer }) =>
    where('_customer', customer),
  ),
  retrieve(`${transactions}/:id`, of),
]
