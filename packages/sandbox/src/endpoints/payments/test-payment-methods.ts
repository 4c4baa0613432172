// Cards and bank accounts of the real API's test mode. Their number determines the bank's response.
import { createHash } from 'node:crypto'
import type { PaymentMethodBody } from '../../objects/customer-bodies.ts'
import { genericDecline, type CardDecline } from '../../protocol/responses/errors.ts'

export interface TestCard {
  readonly name: string
  readonly number: string
  readonly brand: string
  /** `attach`: the bank declines to attach the card to a customer. `payment`: it declines payments only. */
  readonly declines?: 'attach' | 'payment'
  /** Reason why the bank declines. Default: a generic decline. */
  readonly decline?: CardDecline
  /** True: the card needs 3-D Secure before every payment and before setup. */
  readonly requiresAuthentication?: true
}

const insufficientFunds: CardDecline = {
  code: 'card_declined',
  decline_code: 'insufficient_funds',
  message: 'Your card has insufficient funds.',
}

/** Test cards with their names and numbers in the real API. */
export const testCards: readonly TestCard[] = [
  { name: 'pm_card_visa', number: '4242424242424242', brand: 'visa' },
  { name: 'pm_card_mastercard', number: '5555555555554444', brand: 'mastercard' },
  { name: 'pm_card_amex', number: '378282246310005', brand: 'amex' },
  { name: 'pm_card_visa_chargeDeclined', number: '4000000000000002', brand: 'visa', declines: 'attach' },
  // Older name of the card in the previous line.
  { name: 'pm_card_chargeDeclined', number: '4000000000000002', brand: 'visa', declines: 'attach' },
  {
    ...{ name: 'pm_card_visa_chargeDeclinedInsufficientFunds', number: '4000000000009995', brand: 'visa' },
    ...{ declines: 'attach', decline: insufficientFunds },
  },
  // Older name of the previous card.
  {
    ...{ name: 'pm_card_chargeDeclinedInsufficientFunds', number: '4000000000009995', brand: 'visa' },
    ...{ declines: 'attach', decline: insufficientFunds },
  },
  { name: 'pm_card_chargeCustomerFail', number: '4000000000000341', brand: 'visa', declines: 'payment' },
  { name: 'pm_card_threeDSecure2Required', number: '4000000000003220', brand: 'visa', requiresAuthentication: true },
  { name: 'pm_card_authenticationRequired', number: '4000002760003184', brand: 'visa', requiresAuthentication: true },
]

/** Returns the reason for which the bank declines the card. */
export function declineOf({ card }: Pick<PaymentMethodBody, 'card'>): CardDecline {
  const found = testCards.find(({ number }) => number.slice(-4) === card?.last4)
  return found?.decline ?? genericDecline
}

/** Returns the test card with the typed number. Undefined if there is none. */
export function cardByNumber(typed: string): TestCard | undefined {
  const digits = typed.replace(/[\s-]/g, '')
  return testCards.find((card) => card.number === digits)
}

interface TestAccount {
  readonly declines: boolean
  /** Seconds until a debit of the test bank account succeeds or fails. */
  readonly delay: number
}

const minutes = 60

/** Test bank accounts by IBAN. Source: docs.stripe.com/payments/sepa-debit, and Stripe's command-line tool. */
const testAccounts: Readonly<Record<string, TestAccount>> = {
  AT611904300234573201: { declines: false, delay: 0 },
  AT321904300235473204: { declines: false, delay: 3 * minutes },
  AT861904300235473202: { declines: true, delay: 0 },
  DE89370400440532013000: { declines: false, delay: 0 },
  DE62370400440532013001: { declines: true, delay: 0 },
  IT40S0542811101000000123456: { declines: false, delay: 0 },
  IT60X0542811101000000123456: { declines: true, delay: 0 },
}

/** Positions (start, end, as for `slice`) of the bank code and the branch code in an IBAN, by country. */
const codePositions: Readonly<Record<string, Readonly<Record<'bank' | 'branch', readonly [number, number]>>>> = {
  AT: { bank: [4, 9], branch: [9, 9] },
  DE: { bank: [4, 12], branch: [12, 12] },
  IT: { bank: [5, 10], branch: [10, 15] },
}

/** Returns the details of a test bank account and the result of its debits. Undefined if the IBAN is not that of a test account. */
export function accountByIban(
  typed: string,
): Required<Pick<PaymentMethodBody, 'sepa_debit' | '_declines' | '_answersAfter'>> | undefined {
  const iban = typed.replaceAll(' ', '').toUpperCase()
  const found = Object.hasOwn(testAccounts, iban) ? testAccounts[iban] : undefined
  const place = codePositions[iban.slice(0, 2)]
  if (found === undefined || place === undefined) return undefined
  const { bank, branch } = place
  return {
    sepa_debit: {
      bank_code: iban.slice(...bank),
      branch_code: iban.slice(...branch),
      country: iban.slice(0, 2),
      fingerprint: createHash('sha256').update(iban).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 16),
      generated_from: null,
      last4: iban.slice(-4),
    },
    _declines: found.declines,
    _answersAfter: found.delay,
  }
}
