/** Supported currencies (specification, "Price") with the number of decimals of each. */
export const currencyDecimals = {
  usd: 2,
  eur: 2,
  gbp: 2,
  cad: 2,
  aud: 2,
  jpy: 0,
  inr: 2,
  brl: 2,
  mxn: 2,
  sgd: 2,
  hkd: 2,
  nzd: 2,
  chf: 2,
  sek: 2,
  dkk: 2,
  nok: 2,
  pln: 2,
  czk: 2,
  ils: 2,
  zar: 2,
} as const

export type Currency = keyof typeof currencyDecimals

export const currencies = Object.keys(currencyDecimals) as Currency[]

export const currencyNames: Readonly<Record<Currency, string>> = {
  usd: 'US dollar',
  eur: 'Euro',
  gbp: 'Pound sterling',
  cad: 'Canadian dollar',
  aud: 'Australian dollar',
  jpy: 'Japanese yen, no decimals',
  inr: 'Indian rupee',
  brl: 'Brazilian real',
  mxn: 'Mexican peso',
  sgd: 'Singapore dollar',
  hkd: 'Hong Kong dollar',
  nzd: 'New Zealand dollar',
  chf: 'Swiss franc',
  sek: 'Swedish krona',
  dkk: 'Danish krone',
  nok: 'Norwegian krone',
  pln: 'Polish złoty',
  czk: 'Czech koruna',
  ils: 'Israeli new shekel',
  zar: 'South African rand',
}

/**
 * The processor's minimum charge per currency in minor units; null if it publishes none. The minimum applies to a whole invoice, so a lower
 * price causes only a warning.
 */
export const minimumCharge: Readonly<Record<Currency, number | null>> = {
  usd: 50,
  eur: 50,
  gbp: 30,
  cad: 50,
  aud: 50,
  jpy: 50,
  inr: 50,
  brl: 50,
  mxn: 1000,
  sgd: 50,
  hkd: 400,
  nzd: 50,
  chf: 50,
  sek: 300,
  dkk: 250,
  nok: 300,
  pln: 200,
  czk: 1500,
  ils: null,
  zar: null,
}

export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(currencyDecimals, code)
}
