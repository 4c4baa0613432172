import { describe, expect, test } from 'vitest'
import { validateConfig } from '../../../packages/ratecard/src/config/validation/validate.ts'
import { issueCodes } from '../../../packages/ratecard/src/errors/codes.ts'
import { ruleCases, validDocument, warningCases } from '../../support/rule-cases.ts'

/** Codes that no single document can earn: they come from files, variables, sizes, other bodies, or what the processor holds. */
const elsewhere = [
  'syntax',
  'variable_unset',
  'variable_forbidden',
  'variable_malformed',
  'merge_conflict',
  'version_disagrees',
  'document_too_large',
  'issues_truncated',
  'reference_unknown',
]

describe('the rules of the document', () => {
  test('a document that breaks none is valid and has no warnings', () => {
    const document = validDocument()
    expect(validateConfig(document)).toEqual({ valid: true, errors: [], warnings: [], config: document })
  })

  test.each(ruleCases)('$name is exactly one error, $code', ({ document, code, pointer }) => {
    const { valid, errors, warnings, config } = validateConfig(document)
    expect(errors.map((issue) => [issue.code, issue.pointer, issue.severity])).toEqual([[code, pointer, 'error']])
    expect({ valid, warnings, config }).toEqual({ valid: false, warnings: [], config: null })
  })

  test.each(warningCases)('$name is exactly one warning, $code', ({ document, code, pointer }) => {
    const { valid, errors, warnings, config } = validateConfig(document)
    expect(warnings.map((issue) => [issue.code, issue.pointer, issue.severity])).toEqual([[code, pointer, 'warning']])
    expect({ valid, errors, config }).toEqual({ valid: true, errors: [], config: document })
  })

  test('every issue is written for a reader: whole sentences, and a hint that is one too', () => {
    for (const { document } of [...ruleCases, ...warningCases]) {
      const { errors, warnings } = validateConfig(document)
      for (const { detail, hint } of [...errors, ...warnings]) {
        expect(detail).toMatch(/^[A-Z0-9"].*\.$/s)
        if (hint !== undefined) expect(hint).toMatch(/^[A-Z].*[.?]$/s)
      }
    }
  })

  test('every code that the document alone can earn has a case', () => {
    const covered = new Set<string>([...ruleCases, ...warningCases].map(({ code }) => code))
    const known = Object.keys(issueCodes)
    const last = known.indexOf('product_type_changed')
    // From product_type_changed on, the codes are about the processor and the plan.
    const ours = known.slice(0, last).filter((code) => !elsewhere.includes(code) && code !== 'version_not_raised')
    expect(last).toBeGreaterThan(0)
    expect(ours.filter((code) => !covered.has(code))).toEqual([])
  })
})
