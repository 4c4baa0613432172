import {
  chargeStep,
  currencies,
  standardCurrencies,
  currencyDecimals,
  type Currency,
} from '../../packages/ratecard/src/base/money/currencies.ts'
import { currencyPattern } from '../../packages/ratecard/src/document/schema/fields.ts'
import { fieldRows, ownMembers } from '../../packages/ratecard/src/catalog/fields/tables.ts'
import type { Mutability } from '../../packages/ratecard/src/catalog/fields/field.ts'
import type { ResourceKind } from '../../packages/ratecard/src/catalog/kinds.ts'
import * as schema from '../../packages/ratecard/src/document/schema/schema.ts'
import { code, describedTable, page, table, type Described } from './markdown.ts'
import { processorFacts, readOn, sentencesOf } from './processor-facts.ts'
import { limitsText, plainSchema, typeText, type SchemaNode } from './schema-text.ts'

/** Objects that have a section of their own, in reading order. */
const sections: readonly (readonly [name: string, schema: object])[] = [
  ['document', schema.BillingConfig],
  ['product', schema.Product],
  ['product ui', schema.ProductUi],
  ['price', schema.Price],
  ['tier', schema.Tier],
  ['price ui', schema.PriceUi],
  ['feature', schema.Feature],
  ['meter', schema.Meter],
  ['webhook', schema.Webhook],
  ['coupon', schema.Coupon],
  ['promotion code', schema.PromotionCode],
  ['tax rate', schema.TaxRate],
  ['tax', schema.Tax],
  ['portal', schema.Portal],
]

const intro = `One document says what you sell. It may be JSON, JSON with comments, or YAML, in one file or many (see
[Splitting the configuration](../guides/files.md)). Unknown fields are errors. The same schema is served at \`GET /api/v1/billing/schema\`,
for completion in your editor. Money is always a whole number of minor units: \`1200\` is €12.00, and ¥1200.`

const anchor = (name: string) => name.replaceAll(' ', '-')
const fingerprint = (node: SchemaNode) => JSON.stringify(node)

const named = new Map(sections.map(([name, object]) => [fingerprint(plainSchema(object)), name]))
const isId = (node: SchemaNode) => node.pattern === schema.idPattern
const isCurrency = (node: SchemaNode) => node.enum?.length === currencies.length

function nameOf(node: SchemaNode): string | undefined {
  if (isId(node)) return '[id](#ids)'
  if (isCurrency(node)) return '[currency](#currencies)'
  const name = named.get(fingerprint(node))
  return name === undefined ? undefined : `[${name}](#${anchor(name)})`
}

const idsSection = `Ids are yours: letters, digits, \`_\`, \`.\` and \`-\`, up to 100 characters, the first a letter or digit (\`${schema.idPattern}\`).
They appear in URLs, and the ids of prices and features are their lookup keys at the processor, unless \`lookup_key\` names another one. A product and a price may have the same id.`

const codes = (some: readonly Currency[]) => [...some].sort().map(code).join(', ')
const withDecimals = (decimals: number) => codes(currencies.filter((one) => currencyDecimals[one] === decimals))
const inStepsOf = (step: number) => codes(currencies.filter((one) => chargeStep[one] === step))
const currenciesSection = `Lowercase codes. A document may use ${codes(standardCurrencies)}. It may use the processor's other currencies if
\`extra_currencies\` lists them, e.g. \`"extra_currencies": ["krw"]\`. An amount of 1200 is

- 12.00 in ${withDecimals(2)};
- 1200 in ${withDecimals(0)}, which have no decimals;
- 1.200 in ${withDecimals(3)}, which have three.

The processor charges only multiples of 10 in ${inStepsOf(10)} (5.120, not 5.124) and of 100 in ${inStepsOf(100)} (5.00, not 5.50): another
amount is an error, and a warning in an object that is adopted. See [the processor's list](https://docs.stripe.com/currencies).`

const kinds: Readonly<Record<string, ResourceKind>> = {
  product: 'product',
  price: 'price',
  feature: 'feature',
  meter: 'meter',
  webhook: 'webhook',
  coupon: 'coupon',
  'promotion code': 'promotion_code',
  'tax rate': 'tax_rate',
  portal: 'portal',
}

const changes: Readonly<Record<Mutability, string>> = {
  in_place: 'in place',
  fixed: 'new object',
  once: 'in place once, then new object',
  apart: 'in place',
  attached: 'in place',
}

/** Returns the effect that an edit of the member has on a push, which depends on what the processor can change. */
function changeText(kind: ResourceKind | undefined, member: string): string {
  if (kind === undefined) return ''
  if (Object.hasOwn(ownMembers[kind], member)) return 'an edit: kept here alone'
  const row = fieldRows[kind].find(([, { members }]) => members.includes(member))?.[1]
  if (row === undefined) return ''
  return `an edit: [${kind === 'product' && row.mutability === 'fixed' ? 'refused' : changes[row.mutability]}](${row.source})`
}

/** Returns a description, with a mark behind each sentence about the processor that its documentation does not confirm. */
function marked(description: string): string {
  return sentencesOf(description)
    .map((sentence) =>
      processorFacts[sentence] === null ? `${sentence} [Unconfirmed](#what-the-processor-does).` : sentence,
    )
    .join(' ')
}

const factsSection = `What this page says of the processor was read against its documentation on ${readOn}; the pages of the API reference were read in
the types of its SDK, which have their texts. “Unconfirmed” means that no page was found that says so: the sentence rests on error messages and objects that other
people published.`

function factRows(): string[][] {
  return Object.entries(processorFacts).map(([sentence, source]) => [
    sentence,
    source === null ? 'unconfirmed' : `[${source.replace('https://docs.stripe.com/', '')}](${source})`,
  ])
}

/** Returns the schema of the values of a map by currency. Undefined for any other node. */
const currencyMap = (node: SchemaNode) => node.patternProperties?.[currencyPattern]

/** Returns the fields of an object. Nested objects without their own section are listed inline, e.g. `price_display.suffix`. */
function fieldsOf(node: SchemaNode, kind: ResourceKind | undefined, prefix = ''): Described[] {
  return Object.entries(node.properties ?? {}).flatMap(([field, child]) => {
    const path = `${prefix}${field}`
    const examples = (isId(child) ? [] : (child.examples ?? []))
      .map((example) => code(JSON.stringify(example)))
      .join(', ')
    const meaning = [marked(child.description ?? ''), examples === '' ? '' : `For example ${examples}.`]
      .filter(Boolean)
      .join(' ')
    const own: Described = {
      name: path,
      required: (node.required ?? []).includes(field),
      meaning,
      value: [typeText(child, nameOf), changeText(kind, path), isId(child) ? '' : limitsText(child)],
    }
    if (nameOf(child) !== undefined) return [own]
    const inCurrency = currencyMap(child)
    if (inCurrency !== undefined) return [own, ...fieldsOf(inCurrency, kind, `${path}.<currency>.`)]
    if (child.properties !== undefined) return [own, ...fieldsOf(child, kind, `${path}.`)]
    const items = child.items
    if (items?.properties !== undefined && nameOf(items) === undefined)
      return [own, ...fieldsOf(items, kind, `${path}[].`)]
    return [own]
  })
}

export function configPage(): string {
  const blocks = sections.flatMap(([name, object]) => {
    const node = plainSchema(object)
    return [`## ${name}`, node.description ?? '', describedTable(['Field', 'Value'], fieldsOf(node, kinds[name]))]
  })
  return page('The configuration document', 'packages/ratecard/src/document/schema/schema.ts', [
    intro,
    ...blocks,
    '## ids',
    idsSection,
    '## currencies',
    currenciesSection,
    '## what the processor does',
    factsSection,
    table(['Sentence', 'Documentation'], factRows()),
  ])
}
