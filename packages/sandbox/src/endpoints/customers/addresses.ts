import type { AddressBody, ShippingBody } from '../../objects/customer-bodies.ts'
import { required, shape, text, type Read } from '../../protocol/parameters/params.ts'

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

/** Parameter `shipping` of a payment intent. */
export const shippingField = shape({
  address: required(shape(addressFields)),
  carrier: text(),
  name: required(text()),
  phone: text(),
  tracking_number: text(),
})

type Shipping = ReturnType<typeof shippingField.read>

export function toShipping(given: Shipping | undefined): ShippingBody | null {
  if (given === undefined) return null
  return {
    address: toAddress(given.address),
    carrier: given.carrier ?? null,
    name: given.name,
    phone: given.phone ?? null,
    tracking_number: given.tracking_number ?? null,
  }
}
