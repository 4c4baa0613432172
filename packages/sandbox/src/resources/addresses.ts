import type { AddressBody } from '../objects/customer-bodies.ts'
import { text } from '../protocol/params.ts'
import type { Read } from '../protocol/params.ts'

export const addressFields = {
  city: text(),
  country: text({ max: 2 }),
  line1: text(),
  line2: text(),
  postal_code: text(),
  state: text(),
}

export function toAddress(given: Read<typeof addressFields>): AddressBody {
  return {
    city: given.city ?? null,
    country: given.country ?? null,
    line1: given.line1 ?? null,
    line2: given.line2 ?? null,
    postal_code: given.postal_code ?? null,
    state: given.state ?? null,
  }
}
