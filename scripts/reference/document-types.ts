// The document's types for the client, from the document's schema. Documents are data, not calls: they keep their names.
import { currencies } from '../../packages/ratecard/src/money/currencies.ts'
import * as schema from '../../packages/ratecard/src/config/schema.ts'
import { plainSchema } from './schema-text.ts'
import type { SchemaNode } from './schema-text.ts'
import { typeOf } from './wire-types.ts'

/** Objects with a name of their own. */
const named: Readonly<Record<string, object>> = {
  TierDocument: schema.Tier,
  PriceDocument: schema.Price,
  ProductDocument: schema.Product,
  MeterDocument: schema.Meter,
  WebhookDocument: schema.Webhook,
  CouponDocument: schema.Coupon,
  PromotionCodeDocument: schema.PromotionCode,
  BillingDocument: schema.BillingConfig,
}

const fingerprint = (node: unknown) => JSON.stringify(node)
const names = new Map(Object.entries(named).map(([name, object]) => [fingerprint(plainSchema(object)), name]))

/** The node with named objects as references. Currencies are text: programs keep them in variables. */
function referring(node: SchemaNode, name: string): SchemaNode {
  const other = names.get(fingerprint(node))
  if (other !== undefined && other !== name) return { $ref: other }
  if (node.enum?.length === currencies.length) return { type: 'string' }
  const members = (children: Readonly<Record<string, SchemaNode>>) =>
    Object.fromEntries(Object.entries(children).map(([key, child]) => [key, referring(child, name)]))
  return {
    ...node,
    ...(node.properties === undefined ? {} : { properties: members(node.properties) }),
    ...(node.patternProperties === undefined ? {} : { patternProperties: members(node.patternProperties) }),
    ...(node.items === undefined ? {} : { items: referring(node.items, name) }),
  }
}

export function documentTypes(): string {
  const interval = plainSchema(schema.Price).properties?.['interval'] ?? {}
  const interfaces = Object.entries(named).map(
    ([name, object]) => `export interface ${name} ${typeOf(referring(plainSchema(object), name))}\n`,
  )
  return [
    '// Generated from the schema of the document by scripts/reference/document-types.ts; do not edit.\n',
    `export type Interval = ${typeOf(interval)}\n`,
    ...interfaces,
  ].join('\n')
}
