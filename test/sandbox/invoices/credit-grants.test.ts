import { describe, expect } from 'vitest'
import { creditTest as test, type GrantParams } from './credit-shop.ts'
import { utc } from '../customers/customer-shop.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

const january = utc('2027-01-01T00:00:00')

describe('credit grants of the sandbox:', () => {
  test('a new grant has the defaults of the real API and funds the balance', async ({ shop }) => {
    const { stripe, customer, clockId, grant, balance, ledger } = shop
    const made = await grant({ name: 'Welcome', metadata: { deal: '7' } })
    expect(made).toMatchObject({
      object: 'billing.credit_grant',
      amount: { type: 'monetary', monetary: { currency: 'usd', value: 1000 } },
      applicability_config: { scope: { price_type: 'metered' } },
      category: 'paid',
      created: january,
      customer,
      customer_account: null,
      effective_at: january,
      expires_at: null,
      livemode: false,
      metadata: { deal: '7' },
      name: 'Welcome',
      priority: 50,
      test_clock: clockId,
      updated: january,
      voided_at: null,
    })
    expect(made.id).toMatch(/^credgr_test_/)
    expect(await stripe.billing.creditGrants.retrieve(made.id)).toEqual(made)
    expect(await balance()).toEqual([1000, 1000])
    expect(await ledger()).toEqual([['credits_granted', 1000, made.id]])
    const types = (await stripe.events.list({ type: 'billing.*' })).data.map(({ type }) => type)
    expect(types.slice(0, 2)).toEqual(['billing.credit_balance_transaction.created', 'billing.credit_grant.created'])
  })

  test('a retried request with the same idempotency key creates one grant', async ({ shop }) => {
    const { stripe, customer, balance } = shop
    const params = {
      customer,
      amount: { type: 'monetary' as const, monetary: { currency: 'usd', value: 700 } },
      applicability_config: { scope: { price_type: 'metered' as const } },
    }
    const first = await stripe.billing.creditGrants.create(params, { idempotencyKey: 'purchase-1' })
    const second = await stripe.billing.creditGrants.create(params, { idempotencyKey: 'purchase-1' })
    expect(second.id).toBe(first.id)
    expect(await balance()).toEqual([700, 700])
  })

  test('grants and transactions of a customer are listed newest first, with their expanded objects', async ({
    shop,
  }) => {
    const { stripe, customer, grant } = shop
    const [first, second] = [await grant(), await grant({ category: 'promotional', priority: 0 })]
    const other = (await stripe.customers.create()).id
    await stripe.billing.creditGrants.create({
      customer: other,
      amount: { type: 'monetary', monetary: { currency: 'eur', value: 1 } },
      applicability_config: { scope: { price_type: 'metered' } },
    })
    const { data } = await stripe.billing.creditGrants.list({ customer, expand: ['data.customer'] })
    expect(data.map(({ id, customer: of }) => [id, typeof of === 'string' ? of : of.id])).toEqual([
      [second.id, customer],
      [first.id, customer],
    ])
    expect((await stripe.billing.creditGrants.list()).data).toHaveLength(3)
    const list = stripe.billing.creditBalanceTransactions.list({
      credit_grant: first.id,
      expand: ['data.credit_grant'],
    })
    const [funding] = (await list).data
    expect(funding).toMatchObject({ type: 'credit', debit: null, credit_grant: { id: first.id } })
    expect(await stripe.billing.creditBalanceTransactions.retrieve(funding?.id ?? '')).toMatchObject({
      credit_grant: first.id,
    })
    const scope = { type: 'applicability_scope' as const, applicability_scope: { price_type: 'metered' as const } }
    const summary = await stripe.billing.creditBalanceSummaries.retrieve({
      customer,
      filter: scope,
      expand: ['customer'],
    })
    expect(summary).toMatchObject({ object: 'billing.credit_balance_summary', customer: { id: customer } })
    expect(summary).not.toHaveProperty('id')
  })

  test('balances are separate per currency, and a balance for several prices counts only grants that apply to all of them', async ({
    shop,
  }) => {
    const { stripe, customer, grant, calls, product, balance } = shop
    const meter = calls.recurring?.meter ?? ''
    const recurring = { interval: 'month' as const, usage_type: 'metered' as const, meter }
    const other = await stripe.prices.create({ currency: 'usd', product, recurring, unit_amount: 1 })
    const forPrices = (...prices: string[]) => ({ scope: { prices: prices.map((id) => ({ id })) } })
    await grant({ value: 100 })
    await grant({ value: 20, applicability_config: forPrices(calls.id) })
    await grant({ value: 3, applicability_config: forPrices(calls.id, other.id) })
    await grant({ value: 500, currency: 'eur' })
    const of = async (scope: { price_type: 'metered' } | { prices: { id: string }[] }) => {
      const filter = { type: 'applicability_scope' as const, applicability_scope: scope }
      const { balances } = await stripe.billing.creditBalanceSummaries.retrieve({ customer, filter })
      return balances.map(({ ledger_balance: { monetary } }) => [monetary?.currency, monetary?.value])
    }
    expect(await of({ price_type: 'metered' })).toEqual([
      ['usd', 100],
      ['eur', 500],
    ])
    expect(await of(forPrices(calls.id).scope)).toEqual([
      ['usd', 123],
      ['eur', 500],
    ])
    expect(await of(forPrices(calls.id, other.id).scope)).toEqual([
      ['usd', 103],
      ['eur', 500],
    ])
    const { id } = await grant({ value: 9 })
    expect(await balance(id)).toEqual([9, 9])
    const nobody = (await stripe.customers.create()).id
    const filter = { type: 'applicability_scope' as const, applicability_scope: { price_type: 'metered' as const } }
    expect((await stripe.billing.creditBalanceSummaries.retrieve({ customer: nobody, filter })).balances).toEqual([])
  })

  test('a pending grant has no balance until it is effective', async ({ shop }) => {
    const { grant, balance, to, stripe } = shop
    const later = await grant({ effective_at: utc('2027-02-01T00:00:00') })
    expect(await balance(later.id)).toEqual([0, 0])
    const [funding] = (await stripe.billing.creditBalanceTransactions.list({ credit_grant: later.id })).data
    expect([funding?.created, funding?.effective_at]).toEqual([january, utc('2027-02-01T00:00:00')])
    await to('02-01T00:00:00')
    expect(await balance(later.id)).toEqual([1000, 1000])
  })

  test('a grant expires at its expiry time, and its remaining amount is debited', async ({ shop }) => {
    const { stripe, grant, balance, ledger, to } = shop
    const made = await grant({ expires_at: utc('2027-01-10T00:00:00') })
    await to('01-09T23:59:59')
    expect(await balance()).toEqual([1000, 1000])
    await to('01-10T00:00:00')
    expect(await balance()).toEqual([0, 0])
    expect(await ledger()).toEqual([
      ['credits_granted', 1000, made.id],
      ['credits_expired', -1000, made.id],
    ])
    const refused = await refusal(stripe.billing.creditGrants.expire(made.id))
    expect(refused).toMatchObject({ status: 400, message: `The credit grant ${made.id} has already expired.` })
  })

  test('an update can change only the expiry and the metadata of a grant', async ({ shop }) => {
    const { stripe, grant, balance, to } = shop
    const made = await grant({ expires_at: utc('2027-01-10T00:00:00'), metadata: { a: '1' } })
    await to('01-05T00:00:00')
    const longer = await stripe.billing.creditGrants.update(made.id, {
      expires_at: utc('2027-01-20T00:00:00'),
      metadata: { b: '2' },
    })
    expect(longer).toMatchObject({ metadata: { a: '1', b: '2' }, updated: utc('2027-01-05T00:00:00') })
    const [event] = (await stripe.events.list({ type: 'billing.credit_grant.updated' })).data
    expect(event?.data.previous_attributes).toEqual({
      expires_at: utc('2027-01-10T00:00:00'),
      metadata: { b: null },
      updated: january,
    })
    await to('01-15T00:00:00')
    expect(await balance()).toEqual([1000, 1000])
    expect(await stripe.billing.creditGrants.update(made.id, { expires_at: '' })).toMatchObject({ expires_at: null })
    await to('02-15T00:00:00')
    expect(await balance()).toEqual([1000, 1000])
    const named = stripe.billing.creditGrants.update(made.id, { name: 'x' } as object)
    expect(await refusal(named)).toMatchObject({ status: 400, code: 'parameter_unknown', param: 'name' })
    const past = stripe.billing.creditGrants.update(made.id, { expires_at: utc('2027-01-15T00:00:00') })
    expect(await refusal(past)).toMatchObject({ status: 400, param: 'expires_at' })
  })

  test('a grant can be expired or voided immediately, and only once', async ({ shop }) => {
    const { stripe, grant, balance, ledger, to } = shop
    const [first, second] = [await grant({ value: 300 }), await grant({ value: 200 })]
    await to('01-03T00:00:00')
    const now = utc('2027-01-03T00:00:00')
    expect(await stripe.billing.creditGrants.expire(first.id)).toMatchObject({ expires_at: now, voided_at: null })
    expect(await stripe.billing.creditGrants.voidGrant(second.id)).toMatchObject({ voided_at: now, expires_at: null })
    expect(await balance()).toEqual([0, 0])
    expect((await ledger()).slice(2)).toEqual([
      ['credits_expired', -300, first.id],
      ['credits_voided', -200, second.id],
    ])
    for (const again of [
      stripe.billing.creditGrants.voidGrant(second.id),
      stripe.billing.creditGrants.expire(second.id),
      stripe.billing.creditGrants.update(second.id, { expires_at: '' }),
    ])
      expect(await refusal(again)).toMatchObject({ status: 400, message: `The credit grant ${second.id} is voided.` })
    expect(await stripe.billing.creditGrants.update(second.id, { metadata: { why: 'mistake' } })).toMatchObject({
      metadata: { why: 'mistake' },
    })
  })

  test('the 101st unused grant of a customer is refused, where pending grants count too', async ({ shop }) => {
    const { stripe, grant } = shop
    const first = await grant({ value: 1 })
    for (let count = 1; count < 100; count++) await grant({ value: 1, effective_at: january + 86_400 })
    expect(await refusal(grant())).toMatchObject({
      status: 400,
      message: expect.stringContaining('maximum of 100 unused credit grants') as string,
    })
    await stripe.billing.creditGrants.expire(first.id)
    expect((await grant()).object).toBe('billing.credit_grant')
  })

  test('the error about an invalid parameter names the parameter', async ({ shop }) => {
    const { stripe, customer, grant, monthly } = shop
    const licensed = (await monthly(1000)).id
    const both = { scope: { price_type: 'metered' as const, prices: [{ id: licensed }] } }
    const cases: readonly (readonly [params: GrantParams, param: string])[] = [
      [{ value: 0 }, 'amount[monetary][value]'],
      [{ currency: 'xxx' }, 'amount[monetary][currency]'],
      [{ priority: 101 }, 'priority'],
      [{ category: 'gift' }, 'category'],
      [{ effective_at: january - 1 }, 'effective_at'],
      [{ expires_at: january }, 'expires_at'],
      [{ effective_at: january + 10, expires_at: january + 10 }, 'expires_at'],
      [{ applicability_config: both }, 'applicability_config[scope][price_type]'],
      [{ applicability_config: { scope: {} } }, 'applicability_config'],
      [
        { applicability_config: { scope: { prices: [{ id: licensed }] } } },
        'applicability_config[scope][prices][0][id]',
      ],
      [{ customer: 'cus_none' }, 'customer'],
      [{ customer_account: 'acct_1' }, 'customer_account'],
    ]
    for (const [params, param] of cases)
      expect({ params, ...(await refusal(grant(params))) }).toMatchObject({ params, status: 400, param })
    expect((await refusal(grant({ customer_account: 'acct_1' }))).message).toContain('The sandbox does not support')
    const other = (await stripe.customers.create()).id
    const { id } = await grant()
    const ofOther = stripe.billing.creditBalanceSummaries.retrieve({
      customer: other,
      filter: { type: 'credit_grant', credit_grant: id },
    })
    expect(await refusal(ofOther)).toMatchObject({ status: 400, param: 'filter[credit_grant]' })
    const noScope = stripe.billing.creditBalanceSummaries.retrieve({
      customer,
      filter: { type: 'applicability_scope' },
    })
    expect(await refusal(noScope)).toMatchObject({ status: 400, param: 'filter[applicability_scope]' })
    expect(await refusal(stripe.billing.creditGrants.retrieve('credgr_none'))).toMatchObject({ status: 404 })
  })
})
