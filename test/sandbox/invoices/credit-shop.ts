import type Stripe from 'stripe'
import { test } from 'vitest'
import { customerShop, meteredPrice, utc, type CustomerShop } from '../customers/customer-shop.ts'

export type GrantParams = Partial<Omit<Stripe.Billing.CreditGrantCreateParams, 'amount'>> & {
  readonly value?: number
  readonly currency?: string
}

export interface CreditShop extends CustomerShop {
  readonly clockId: string
  /** A metered price: 5 cents a call. */
  readonly calls: Stripe.Price
  /** Grants the customer credits: by default 10 dollars for all metered prices. */
  grant(params?: GrantParams): Promise<Stripe.Billing.CreditGrant>
  /** Reports calls of the customer. */
  use(value: number): Promise<unknown>
  to(moment: string): Promise<unknown>
  /** Ledger balance and available balance of the customer in dollars, for all metered prices or for one grant. */
  balance(grant?: string): Promise<readonly [number, number] | undefined>
  /** Type, amount and grant of the customer's transactions, oldest first. */
  ledger(): Promise<readonly (readonly [type: string, amount: number, grant: string])[]>
  latest(): Promise<Stripe.Invoice>
}

/** A customer on a test clock that begins on 1 January 2027. */
export async function creditShop(): Promise<CreditShop> {
  const base = await customerShop(utc('2027-01-01T00:00:00'))
  const { stripe, customer, clockId, invoices } = base
  const calls = await meteredPrice(base)
  const balance: CreditShop['balance'] = async (grant) => {
    const filter: Stripe.Billing.CreditBalanceSummaryRetrieveParams.Filter =
      grant === undefined
        ? { type: 'applicability_scope', applicability_scope: { price_type: 'metered' } }
        : { type: 'credit_grant', credit_grant: grant }
    const { balances } = await stripe.billing.creditBalanceSummaries.retrieve({ customer, filter })
    const [first] = balances
    return first && [first.ledger_balance.monetary?.value ?? -1, first.available_balance.monetary?.value ?? -1]
  }
  return {
    ...base,
    calls,
    grant: ({ value = 1000, currency = 'usd', ...params } = {}) =>
      stripe.billing.creditGrants.create({
        customer,
        amount: { type: 'monetary', monetary: { currency, value } },
        applicability_config: { scope: { price_type: 'metered' } },
        ...params,
      }),
    use: (value) =>
      stripe.billing.meterEvents.create({
        event_name: 'calls',
        payload: { stripe_customer_id: customer, value: String(value) },
      }),
    to: (moment) => stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc(`2027-${moment}`) }),
    balance,
    ledger: async () => {
      const { data } = await stripe.billing.creditBalanceTransactions.list({ customer, limit: 100 })
      return data.reverse().map(({ credit, debit, credit_grant: grant }) => {
        const { type, amount } = credit ?? debit ?? { type: '', amount: { monetary: null } }
        return [
          type,
          (amount.monetary?.value ?? 0) * (debit === null ? 1 : -1),
          typeof grant === 'string' ? grant : grant.id,
        ] as const
      })
    },
    latest: async () => {
      const last = (await invoices()).at(-1)
      if (last === undefined) throw new Error('The customer has no invoice')
      return last
    },
  }
}

/** The credits of an invoice line or an invoice: amount and transaction, or the discount. */
export function creditsOf(
  credits: readonly Stripe.InvoiceLineItem.PretaxCreditAmount[] | null | undefined,
): readonly (readonly [number, unknown])[] {
  return (credits ?? []).map(({ amount, type, credit_balance_transaction: transaction, discount }) => [
    amount,
    type === 'discount' ? discount : transaction,
  ])
}

/** `test` with a {@link creditShop}: `async ({ shop }) => …`. */
export const creditTest = test.extend('shop', () => creditShop())
