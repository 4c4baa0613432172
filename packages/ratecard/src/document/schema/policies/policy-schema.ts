// The JSON Schema of `ratecard/policies.json`, used by editors and by validation.
import { Type } from 'typebox'
import { closed, Id } from '../fields.ts'
import { ruleNames, ruleTable, severities } from './policy-rules.ts'

type Schema = Readonly<Record<string, unknown>>

/** Most rules of a file: 200. Each is checked for each change of a plan. */
const maxRules = 200

const Rule = Type.Object(
  {
    id: Id('Your id of the rule, used to override it.', 'no_big_rises'),
    rule: Type.Enum(ruleNames, { description: 'Name of the rule, which determines what is checked.' }),
    value: Type.Optional(Type.Unknown({ description: 'The limit. Its form depends on the rule.' })),
    severity: Type.Enum([...severities], {
      description: '`deny`: a change that breaks the rule is refused. `warn`: it only causes a warning.',
    }),
    reason: Type.Optional(
      Type.String({ maxLength: 500, description: 'Reason for the rule, shown when a change breaks it.' }),
    ),
    except: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 1000,
        description: 'Configuration ids that the rule does not check.',
      }),
    ),
    environments: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z][a-z0-9-]{0,30}$' }), {
        minItems: 1,
        maxItems: 50,
        description: 'Environments in which the rule applies (`RATECARD_ENVIRONMENT` of the server). Default: all.',
      }),
    ),
  },
  { ...closed, description: 'A rule that every plan must follow.' },
)

const PoliciesDocument = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'For editors.' })),
    rules: Type.Array(Rule, { maxItems: maxRules, description: 'The rules.' }),
  },
  { ...closed, description: 'Rules that every change of prices must follow.' },
)

/** Returns the schema with the form of `value` for each rule. */
export function policySchema(): Schema {
  const rule = {
    ...(Rule as unknown as Schema),
    allOf: ruleNames.map((name) => ({
      if: { properties: { rule: { const: name } }, required: ['rule'] },
      then: valueSchema(name),
    })),
  }
  const { rules, ...properties } = PoliciesDocument.properties
  const document = {
    ...(PoliciesDocument as unknown as Schema),
    properties: { ...properties, rules: { ...rules, items: rule } },
  }
  return JSON.parse(JSON.stringify(document)) as Schema
}

function valueSchema(name: (typeof ruleNames)[number]): Schema {
  const { value, demands } = ruleTable[name]
  return value === null
    ? { properties: { value: false }, description: demands }
    : { properties: { value }, required: ['value'], description: demands }
}

/** The schema as editors read it. */
export function publishedPolicySchema(): Schema {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Ratecard policies', ...policySchema() }
}
