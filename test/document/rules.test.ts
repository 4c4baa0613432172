import { describe, expect, test } from 'vitest'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'
import { issueCodes } from '../../packages/ratecard/src/base/errors/codes.ts'
import type { IssueCode } from '../../packages/ratecard/src/base/errors/issue-codes.ts'
import { attachedWithoutIssue } from '../support/rules/rule-cases-attached.ts'
import { creditsWithoutIssue } from '../support/rules/rule-cases-credit.ts'
import { ruleCases, validDocument, warningCases } from '../support/rules/rule-cases.ts'

/** Codes that no document alone can cause: they need files, variables, sizes, other request bodies, the processor, or the plan. */
const elsewhere: readonly IssueCode[] = [
  'syntax',
  'amount_looks_major',
  'currency_removed',
  'deal_moved',
  'metadata_full',
  'no_room_for_mark',
  'variable_unset',
  'variable_forbidden',
  'variable_malformed',
  'variable_altered',
  'merge_conflict',
  'document_too_large',
  'issues_truncated',
  'reference_unknown',
  'version_not_raised',
  'product_type_changed',
  'lookup_key_taken',
  'processor_id_unknown',
  'processor_id_conflict',
  'processor_id_taken',
  'meter_event_name_taken',
  'code_taken',
  'lookup_key_replaced',
  'left_as_is',
  'not_carried_over',
  'features_lowered',
  'coupon_redemptions_restart',
  'webhook_limit',
  'webhook_url_foreign',
  'date_past',
  'looks_like_rename',
  'switched_off_at_processor',
  'switched_on_again',
  'tax_rate_kept',
  'portal_default_stays',
  'policy_not_here',
  'tax_of_sales_changed',
  'drift',
  'subscribers_affected',
  'migration_waiting',
  'customer_unchecked',
  'migration_scheduled',
  'meter_in_use',
]

describe('the validation rules of a document', () => {
  test('cause no errors and no warnings for a document that breaks no rule', () => {
    const document = validDocument()
    expect(validateConfig(document)).toEqual({ valid: true, errors: [], warnings: [], config: document })
  })

  test.each(attachedWithoutIssue)('accept valid attached prices, case %#', (document) => {
    const { valid, errors } = validateConfig(JSON.parse(JSON.stringify(document)))
    expect({ valid, errors }).toEqual({ valid: true, errors: [] })
  })

  test.each(creditsWithoutIssue)('accept credits that can pay for usage, without a warning, case %#', (document) => {
    const { valid, errors, warnings } = validateConfig(JSON.parse(JSON.stringify(document)))
    expect({ valid, errors, warnings }).toEqual({ valid: true, errors: [], warnings: [] })
  })

  test.each(ruleCases)('report $name as exactly one error, $code', ({ document, code, pointer }) => {
    const { valid, errors, warnings, config } = validateConfig(document)
    expect(errors.map((issue) => [issue.code, issue.pointer, issue.severity])).toEqual([[code, pointer, 'error']])
    expect({ valid, warnings, config }).toEqual({ valid: false, warnings: [], config: null })
  })

  test.each(warningCases)('report $name as exactly one warning, $code', ({ document, code, pointer }) => {
    const { valid, errors, warnings, config } = validateConfig(document)
    expect(warnings.map((issue) => [issue.code, issue.pointer, issue.severity])).toEqual([[code, pointer, 'warning']])
    expect({ valid, errors, config }).toEqual({ valid: true, errors: [], config: document })
  })

  test('report each issue and its hint in whole sentences', () => {
    for (const { document } of [...ruleCases, ...warningCases]) {
      const { errors, warnings } = validateConfig(document)
      for (const { detail, hint } of [...errors, ...warnings]) {
        expect(detail).toMatch(/^[A-Z0-9"].*\.$/s)
        if (hint !== undefined) expect(hint).toMatch(/^[A-Z].*[.?]$/s)
      }
    }
  })

  test('have a test case for each issue code that a document alone can cause', () => {
    const covered = [...ruleCases, ...warningCases].map(({ code }) => code)
    expect(Object.keys(issueCodes).toSorted()).toEqual([...new Set([...covered, ...elsewhere])].toSorted())
    expect(covered.filter((code) => elsewhere.includes(code))).toEqual([])
  })
})
