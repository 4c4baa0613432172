// What a tenant's fields may be. Pure; every mistake is told at once.
import { idPattern } from '../config/fields.ts'
import { pointerOf } from '../errors/issue.ts'
import type { Issue } from '../errors/issue.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { NewTenant, TenantChange } from '../service-tenants.ts'

const longestText = 250
const tenantId = new RegExp(idPattern)
const customerId = /^[\x21-\x7e]{1,255}$/
/** Loosely: whether it can be delivered, only a delivery tells. */
const emailAddress = /^[^\s@]+@[^\s@]+$/

/** Throws `request_invalid` with an issue for each field that is wrong. */
export function checkNewTenant({ id, ...rest }: NewTenant): void {
  const idIssues =
    id === undefined || tenantId.test(id)
      ? []
      : [
          issue(
            'id',
            'An id begins with a letter or a digit and has up to 100 letters, digits, dots, dashes and underscores.',
          ),
        ]
  refuse([...idIssues, ...fieldIssues(rest)])
}

/** The same for a change, where every field is optional. */
export function checkTenantChange(change: TenantChange): void {
  refuse(fieldIssues(change))
}

function fieldIssues({ name, email, processorCustomerId }: TenantChange): Issue[] {
  return [
    ...(name === undefined || isText(name)
      ? []
      : [issue('name', `A name has 1 to ${longestText} characters and no control characters.`)]),
    ...(email === undefined || email === null || (isText(email) && emailAddress.test(email))
      ? []
      : [issue('email', `An email address has one @ and at most ${longestText} characters.`)]),
    ...(processorCustomerId === undefined || processorCustomerId === null || customerId.test(processorCustomerId)
      ? []
      : [issue('processor_customer_id', 'A customer id has 1 to 255 printable characters without spaces.')]),
  ]
}

// Control characters and lone surrogates cannot be stored, or shown, everywhere.
function isText(text: string): boolean {
  return text.trim() !== '' && text.length <= longestText && text.isWellFormed() && !/\p{Cc}/u.test(text)
}

function issue(field: string, detail: string): Issue {
  return { code: 'value_invalid', pointer: pointerOf([field]), severity: 'error', detail }
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length === 0) return
  throw new ServiceError('request_invalid', issues.map(({ detail }) => detail).join(' '), { issues })
}
