import {
  expireNow,
  fundGrant,
  isExpired,
  isPending,
  ledgerBalance,
  monetary,
  voidGrant,
} from '../../billing/credits/ledger.ts'
import { timeOf } from '../../billing/subscriptions/subscription-records.ts'
import type { CreditGrantBody, CreditScopeBody } from '../../objects/credit-bodies.ts'
import { newId } from '../../protocol/ids.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { applyMetadata, changed, metadata } from '../../protocol/parameters/metadata.ts'
import { badRequest, missingParam, onlyOneOf } from '../../protocol/responses/errors.ts'
import {
  emptyable,
  integer,
  list,
  oneOf,
  required,
  shape,
  text,
  timestamp,
  type Read,
} from '../../protocol/parameters/params.ts'
import { currency } from '../catalog/currencies.ts'

const scopeFields = { price_type: oneOf('metered'), prices: list(shape({ id: required(text()) }), { max: 20 }) }
/** The prices that a grant applies to, or that a balance is for. */
export const scopeParam = shape(scopeFields)
type ScopeParams = Read<typeof scopeFields>

const createFields = {
  amount: required(
    shape({
      monetary: shape({ currency: required(currency()), value: required(integer({ min: 1 })) }),
      type: required(oneOf('monetary')),
    }),
  ),
  applicability_config: required(shape({ scope: required(scopeParam) })),
  category: oneOf('paid', 'promotional'),
  customer: text(),
  effective_at: timestamp(),
  expires_at: timestamp(),
  metadata: metadata(),
  name: text(),
  priority: integer({ min: 0, max: 100 }),
}

const updateFields = { expires_at: emptyable(timestamp()), metadata: metadata() }

/** Highest number of unused grants of a customer. The 101st is refused. */
const maxUnused = 100

/**
 * Reads the scope of a grant (the prices that it pays for) from a request. Each listed price must be metered and have a meter. `name` is
 * the full name of the parameter.
 */
export function readScope(call: OperationContext, given: ScopeParams, name: string): CreditScopeBody {
  const { price_type: type, prices } = given
  if (type !== undefined && prices !== undefined) throw onlyOneOf(`${name}[price_type]`, `${name}[prices]`)
  if (prices === undefined || prices.length === 0) {
    if (type === undefined) throw missingParam(`${name}[price_type]`)
    return { price_type: type }
  }
  for (const [index, { id }] of prices.entries()) {
    const param = `${name}[prices][${index}][id]`
    const meter = call.reference('price', id, param).recurring?.meter ?? null
    if (meter === null)
      throw badRequest(`The price ${id} has no meter. Credit grants apply to metered prices only.`, param)
  }
  return { prices: prices.map(({ id }) => ({ id })) }
}

/** True if the grant counts towards the limit of unused credit grants. Source: docs.stripe.com, "Unused credit grants limit". */
function isUnused(grant: CreditGrantBody, now: number): boolean {
  if (grant.voided_at !== null || isExpired(grant, now)) return false
  return isPending(grant, now) || ledgerBalance(grant, now) > 0
}

function refuseBeyondLimit(call: OperationContext, customer: string): void {
  const grants = call.select('billing.credit_grant', [{ field: 'customer', is: customer }])
  if (grants.filter((grant) => isUnused(grant, call.now)).length < maxUnused) return
  throw badRequest(`The customer ${customer} already has the maximum of ${maxUnused} unused credit grants.`, 'customer')
}

function checkExpiry(expires: number, effective: number, now: number): void {
  const least = Math.max(now, effective)
  if (expires > least) return
  const before = effective > now ? 'the time at which the credit grant becomes effective' : 'now'
  throw badRequest(`\`expires_at\` must be later than ${before} (${least}); it is ${expires}.`, 'expires_at')
}

function create(outer: OperationContext): CreditGrantBody {
  const params = outer.read(createFields)
  if (params.amount.monetary === undefined) throw missingParam('amount[monetary]')
  if (params.customer === undefined) throw missingParam('customer')
  const customer = outer.reference('customer', params.customer, 'customer')
  const call = outer.at(timeOf(outer, customer.test_clock))
  const effective = params.effective_at ?? call.now
  if (effective < call.now)
    throw badRequest(
      `\`effective_at\` cannot be in the past: it is ${effective}, and now is ${call.now}.`,
      'effective_at',
    )
  const expires = params.expires_at ?? null
  if (expires !== null) checkExpiry(expires, effective, call.now)
  const scope = readScope(call, params.applicability_config.scope, 'applicability_config[scope]')
  refuseBeyondLimit(call, customer.id)
  const { currency: of, value } = params.amount.monetary
  return fundGrant(call, {
    id: newId('credgr_test_61', 30),
    object: 'billing.credit_grant',
    amount: monetary(of, value),
    applicability_config: { scope },
    category: params.category ?? 'paid',
    created: call.now,
    customer: customer.id,
    effective_at: effective,
    expires_at: expires,
    metadata: applyMetadata({}, params.metadata),
    name: params.name ?? null,
    priority: params.priority ?? 50,
    test_clock: customer.test_clock,
    updated: call.now,
    voided_at: null,
    _balance: value,
    _clock: customer.test_clock,
    _due: expires,
  })
}

function update(outer: OperationContext): CreditGrantBody {
  const before = outer.subject('billing.credit_grant')
  const params = outer.read(updateFields)
  const call = outer.at(timeOf(outer, before.test_clock))
  const { expires_at: expires } = params
  if (expires !== undefined) {
    refuseEnded(before, call.now)
    if (expires !== null) checkExpiry(expires, before.effective_at, call.now)
  }
  const after = changed(before, params)
  if (JSON.stringify(after) === JSON.stringify(before)) return before
  return call.update(before, { ...after, updated: call.now, _due: after.expires_at }, 'billing.credit_grant.updated')
}

function refuseEnded({ id, ...grant }: CreditGrantBody, now: number): void {
  if (grant.voided_at !== null) throw badRequest(`The credit grant ${id} is voided.`)
  if (isExpired({ id, ...grant }, now)) throw badRequest(`The credit grant ${id} has already expired.`)
}

function expire(outer: OperationContext): CreditGrantBody {
  const before = outer.subject('billing.credit_grant')
  outer.read({})
  const call = outer.at(timeOf(outer, before.test_clock))
  refuseEnded(before, call.now)
  return expireNow(call, before)
}

function voidUnused(outer: OperationContext): CreditGrantBody {
  const before = outer.subject('billing.credit_grant')
  outer.read({})
  const call = outer.at(timeOf(outer, before.test_clock))
  refuseEnded(before, call.now)
  const applied = [
    { field: 'credit_grant', is: before.id },
    { field: 'debit.type', is: 'credits_applied' },
  ]
  if (call.select('billing.credit_balance_transaction', applied, 1).length > 0)
    throw badRequest(
      `The credit grant ${before.id} was applied to an invoice, so it cannot be voided. You can expire it.`,
    )
  return voidGrant(call, before)
}

const base = '/v1/billing/credit_grants'
const of = 'billing.credit_grant'

export const creditGrants: readonly Operation[] = [
  post(base, of, create),
  listing(base, of, { customer: text() }),
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, update),
  post(`${base}/:id/expire`, of, expire),
  post(`${base}/:id/void`, of, voidUnused),
]
