// Validates the fields of a tenant. Pure. All errors are reported at once.
import { idPattern } from '../../document/schema/fields.ts'
import { pointerOf, type Issue } from '../../base/errors/issue.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { EditedField } from '../../store/records/tenants.ts'
import { snake } from '../../api/notation/names.ts'
import { editedFields } from './audit.ts'
import type { NewTenant, TenantChange } from '../../api/customers/tenants.ts'

const maxTextLength = 250
const tenantId = new RegExp(idPattern)
const customerId = /^[\x21-\x7e]{1,255}$/
/** A lenient pattern: only sending an email shows if an address is valid. */
const emailAddress = /^[^\s@]+@[^\s@]+$/

interface Rule {
  readonly allows: (value: string) => boolean
  /** Message of the issue for a value that is not allowed. */
  readonly detail: string
}

/** Rules for the fields that callers can set. null is always allowed if the column is nullable. */
const rules: Readonly<Record<EditedField, Rule>> = {
  name: { allows: isText, detail: `A name must have 1 to ${maxTextLength} characters and no control characters.` },
  email: {
    allows: (email) => isText(email) && emailAddress.test(email),
    detail: `An email address must have one @ and at most ${maxTextLength} characters.`,
  },
  processorCustomerId: {
    allows: (customer) => customerId.test(customer),
    detail: 'A customer id must have 1 to 255 printable characters without spaces.',
  },
}

const idRule: Rule = {
  allows: (id) => tenantId.test(id),
  detail:
    'An id must begin with a letter or a digit, and have at most 100 letters, digits, dots, dashes and underscores.',
}

/** Validates a new tenant. Throws `request_invalid` with one issue for each invalid field. */
export function checkNewTenant(tenant: NewTenant): void {
  refuse([...ruleIssues('id', tenant.id, idRule), ...fieldIssues(tenant)])
}

/** Validates a change of a tenant. Every field is optional. Throws `request_invalid` with one issue for each invalid field. */
export function checkTenantChange(change: TenantChange): void {
  refuse(fieldIssues(change))
}

function fieldIssues(change: TenantChange): Issue[] {
  return editedFields.flatMap((field) => ruleIssues(field, change[field], rules[field]))
}

function ruleIssues(field: string, value: string | null | undefined, { allows, detail }: Rule): Issue[] {
  if (value === undefined || value === null || allows(value)) return []
  return [{ code: 'value_invalid', pointer: pointerOf([snake(field)]), severity: 'error', detail }]
}

// True for text without control characters and lone surrogates, because not every system can store or display these.
function isText(text: string): boolean {
  return text.trim() !== '' && text.length <= maxTextLength && text.isWellFormed() && !/\p{Cc}/u.test(text)
}

function refuse(issues: readonly Issue[]): void {
  if (issues.length === 0) return
  throw new ServiceError('request_invalid', issues.map(({ detail }) => detail).join(' '), { issues })
}
