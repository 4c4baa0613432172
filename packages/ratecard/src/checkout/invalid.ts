import { pointerOf } from '../errors/issue.ts'
import { ServiceError } from '../errors/service-error.ts'

/** Creates a `checkout_invalid` error for one member of the request. `field` is the member's name in the API. */
export function invalid(field: string, detail: string, hint?: string): ServiceError {
  const hinted = hint === undefined ? {} : { hint }
  return new ServiceError('checkout_invalid', detail, {
    ...hinted,
    issues: [{ code: 'value_invalid', pointer: pointerOf([field]), severity: 'error', detail, ...hinted }],
  })
}
