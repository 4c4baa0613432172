import { formatMinor } from './format.ts'

/**
 * Minimum charges in minor units, e.g. 50 is $0.50. A currency that is not listed has no minimum in the sandbox. Source:
 * docs.stripe.com/currencies.
 */
const minimumCharges: Readonly<Record<string, number>> = {
  usd: 50,
  aed: 200,
  aud: 50,
  brl: 50,
  cad: 50,
  chf: 50,
  czk: 1500,
  dkk: 250,
  eur: 50,
  gbp: 30,
  hkd: 400,
  huf: 17_500,
  inr: 50,
  jpy: 50,
  mxn: 1000,
  myr: 200,
  nok: 300,
  nzd: 50,
  pln: 200,
  ron: 200,
  sek: 300,
  sgd: 50,
  thb: 1000,
}

/** True if the amount is positive and below the minimum charge of the currency. */
export function isBelowMinimum(amount: number, currency: string): boolean {
  return amount > 0 && amount < (minimumCharges[currency] ?? 0)
}

/** Returns the minimum charge as text for error messages, e.g. `$0.50 usd`. */
export function minimumText(currency: string): string {
  return `${formatMinor(minimumCharges[currency] ?? 0, currency)} ${currency}`
}
