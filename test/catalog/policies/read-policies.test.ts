import { describe, expect, it } from 'vitest'
import { policySchema } from '../../../packages/ratecard/src/document/schema/policies/policy-schema.ts'
import { readPolicies } from '../../../packages/ratecard/src/catalog/policies/read-policies.ts'
import { ruleNames, ruleTable } from '../../../packages/ratecard/src/document/schema/policies/policy-rules.ts'

const policy = (rule: object) => ({ rules: [{ id: 'p', severity: 'deny', ...rule }] })
const found = (document: unknown) =>
  readPolicies(document).issues.map(({ code, pointer, detail }) => `${code} ${pointer} ${detail}`)

describe('a file with policies', () => {
  it('may contain each rule of the table, with the example of the rule, and a $schema', () => {
    const rules = ruleNames.map((rule) => {
      const { example } = ruleTable[rule]
      return { id: rule, rule, severity: 'warn', ...(example === undefined ? {} : { value: example }) }
    })
    expect(readPolicies({ $schema: './policies.schema.json', rules })).toEqual({ policies: { rules }, issues: [] })
  })

  it.each([
    ['a list', [], 'type_wrong # The document must be an object, not a list.'],
    ['an unknown member', { rules: [], more: 1 }, 'field_unknown #/more The document has no field "more".'],
    [
      'no severity',
      { rules: [{ id: 'p', rule: 'require_message' }] },
      'field_missing #/rules/0 The rule has no "severity".',
    ],
    ['an unknown rule', policy({ rule: 'max_increase_procent', value: 1 }), 'enum_unknown #/rules/0/rule'],
    ['no value', policy({ rule: 'max_increase_percent' }), 'field_missing #/rules/0 The rule has no "value".'],
    ['a value where none belongs', policy({ rule: 'require_message', value: 1 }), 'field_unknown #/rules/0/value'],
    ['a value of another type', policy({ rule: 'max_increase_percent', value: '10' }), 'type_wrong #/rules/0/value'],
    ['an unknown currency', policy({ rule: 'currencies', value: ['euro'] }), '#/rules/0/value/0'],
    [
      'a broken pattern',
      policy({ rule: 'id_pattern', value: '(' }),
      'value_invalid #/rules/0/value "(" is not a regular expression.',
    ],
    [
      'a day that does not exist',
      policy({ rule: 'freeze', value: { from: '2026-02-30', to: '2026-03-01' } }),
      '#/rules/0/value/from',
    ],
    [
      'a time without a zone',
      policy({ rule: 'freeze', value: { from: '2026-02-01', to: '2026-03-01T00:00:00' } }),
      '#/rules/0/value/to',
    ],
    [
      'an end before the begin',
      policy({ rule: 'freeze', value: { from: '2026-03-02', to: '2026-03-01' } }),
      'The freeze ends before it begins.',
    ],
  ])('is refused with the place of the error if it has %s', (_name, document, text) => {
    expect(found(document).join('\n')).toContain(text)
    expect(found(document)).toHaveLength(1)
  })

  it('is refused if two rules have the same id', () => {
    const rule = { id: 'p', rule: 'require_message', severity: 'deny' }
    expect(found({ rules: [rule, rule] })).toEqual(['value_invalid #/rules/1/id Two rules have the id "p".'])
  })

  it('has a JSON schema that describes the value of each rule', () => {
    expect(JSON.stringify(policySchema())).toContain('max_monthly_affected')
  })
})
