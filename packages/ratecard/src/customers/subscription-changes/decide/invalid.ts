import { invalidMembers } from '../../../base/errors/invalid-members.ts'
import type { ServiceError } from '../../../base/errors/service-error.ts'

/** Creates a `change_invalid` error for one member of the request. `field` is the member's name in the API. */
export function invalid(field: string, detail: string, hint?: string): ServiceError {
  return invalidMembers('change_invalid', [{ path: [field], detail, hint }])
}
