import { invalidMembers, type InvalidMember } from '../../base/errors/invalid-members.ts'
import type { ServiceError } from '../../base/errors/service-error.ts'

/** Creates a `checkout_invalid` error for one member of the request. `field` is the member's name in the API. */
export function invalidCheckout(field: string, detail: string, hint?: string): ServiceError {
  return invalidAt({ path: [field], detail, hint })
}

/** Creates a `checkout_invalid` error for one member of the request, at any depth. */
export function invalidAt(member: InvalidMember): ServiceError {
  return invalidMembers('checkout_invalid', [member])
}
