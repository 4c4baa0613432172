/** The supported currencies (specification, "Price") and how many decimals people write for each. */
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
