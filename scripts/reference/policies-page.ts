import { publishedPolicySchema } from '../../packages/ratecard/src/document/schema/policies/policy-schema.ts'
import { ruleNames, ruleTable } from '../../packages/ratecard/src/document/schema/policies/policy-rules.ts'
import { code, describedTable, page } from './markdown.ts'
import { limitsText, plainSchema, typeText, type SchemaNode } from './schema-text.ts'

const intro = `\`ratecard/policies.json\` holds rules that every change of prices must keep. The server keeps them (\`ratecard policies push\`), and holds each
push, rollback, resume, reset, migration and deal to them. The guide is [Guard rails for prices](../guides/guard-rails.md).`

/** The type of the values, in which a list of all currencies is named instead of listed. */
const typeOf = (node: SchemaNode) =>
  typeText(node, ({ enum: values }) => (values !== undefined && values.length > 10 ? 'currency' : undefined))

export function policiesPage(): string {
  const rule = plainSchema(publishedPolicySchema()).properties?.['rules']?.items
  const members = Object.entries(rule?.properties ?? {}).map(([name, node]) => ({
    name,
    required: rule?.required?.includes(name) === true,
    meaning: node.description ?? '',
    value: [name === 'rule' ? 'one of the rules below' : typeOf(node), limitsText(node)],
  }))
  const rules = ruleNames.map((name) => {
    const { value, demands, example } = ruleTable[name]
    return {
      name,
      meaning: demands,
      value: [
        value === null ? 'none' : typeOf(plainSchema(value)),
        example === undefined ? '' : `for example ${code(JSON.stringify(example))}`,
      ],
    }
  })
  return page('Policies', 'packages/ratecard/src/document/schema/policies/policy-rules.ts', [
    intro,
    '## A rule',
    describedTable(['Member', 'Value'], members),
    '## The rules',
    describedTable(['`rule`', '`value`'], rules),
  ])
}
