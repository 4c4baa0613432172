import { publishedPolicySchema } from '../../packages/ratecard/src/document/schema/policies/policy-schema.ts'
import { ruleNames, ruleTable } from '../../packages/ratecard/src/document/schema/policies/policy-rules.ts'
import { code, page, table } from './markdown.ts'
import { limitsText, plainSchema, typeText, type SchemaNode } from './schema-text.ts'

const intro = `\`ratecard/policies.json\` holds rules that every change of prices must keep. The server keeps them (\`ratecard policies push\`), and holds each
push, rollback, resume, reset, migration and deal to them. The guide is [Guard rails for prices](../guides/guard-rails.md).`

/** The type of the values, in which a list of all currencies is named instead of listed. */
const typeOf = (node: SchemaNode) =>
  typeText(node, ({ enum: values }) => (values !== undefined && values.length > 10 ? 'currency' : undefined))

export function policiesPage(): string {
  const rule = plainSchema(publishedPolicySchema()).properties?.['rules']?.items
  const members = Object.entries(rule?.properties ?? {}).map(([name, node]) => [
    code(name),
    name === 'rule' ? 'one of the rules below' : typeOf(node),
    rule?.required?.includes(name) === true ? 'yes' : '',
    limitsText(node),
    node.description ?? '',
  ])
  const rules = ruleNames.map((name) => {
    const { value, demands, example } = ruleTable[name]
    return [
      code(name),
      value === null ? 'none' : typeOf(plainSchema(value)),
      example === undefined ? '' : code(JSON.stringify(example)),
      demands,
    ]
  })
  return page('Policies', 'packages/ratecard/src/document/schema/policies/policy-rules.ts', [
    intro,
    '## A rule',
    table(['Member', 'Type', 'Required', 'Limits', 'Meaning'], members),
    '## The rules',
    table(['`rule`', '`value`', 'Example', 'Requirement'], rules),
  ])
}
