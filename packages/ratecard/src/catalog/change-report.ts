// The specification's change report. In wire form already: it is stored and served as it is.

export interface ChangeReport {
  products: { created: string[]; updated: string[]; archived: string[] }
  prices: { created: string[]; updated: string[]; archived: string[] }
  meters: { created: string[]; updated: string[]; deactivated: string[] }
  webhooks: { created: string[]; updated: string[]; unchanged: string[] }
  coupons: { created: string[]; updated: string[]; archived: string[] }
  promotion_codes: { created: string[]; updated: string[]; archived: string[] }
}

export function emptyReport(): ChangeReport {
  return {
    products: { created: [], updated: [], archived: [] },
    prices: { created: [], updated: [], archived: [] },
    meters: { created: [], updated: [], deactivated: [] },
    webhooks: { created: [], updated: [], unchanged: [] },
    coupons: { created: [], updated: [], archived: [] },
    promotion_codes: { created: [], updated: [], archived: [] },
  }
}
