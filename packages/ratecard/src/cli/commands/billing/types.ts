import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { webhookId } from '../../../document/schema/ids.ts'
import type { BillingConfig } from '../../../document/schema/schema.ts'
import type { Command } from '../../program/command.ts'
import { readConfig, requireConfig } from '../../files/read-config.ts'
import { fileOption, filesArgument } from '../plan-and-apply.ts'

export const billingTypes: Command = {
  name: 'billing types',
  summary: 'Write TypeScript types of the ids in your configuration',
  description:
    'With this file in your program, a wrong id is a type error in every call of @ratecard/client. The file also exports the ids as union types. Works without a server.',
  arguments: [filesArgument],
  options: [fileOption, { flags: '--output <file>', description: 'File to write. Default: stdout.' }],
  examples: [
    { command: 'ratecard billing types --output src/billing-ids.ts', what: 'write the types next to your code' },
  ],
  run: async (context) => {
    const { options, io, out } = context
    const types = typesOf(requireConfig(readConfig(context)))
    const output = options.text('output')
    if (output === undefined) {
      out.print(types)
      return { json: { types } }
    }
    const file = path.resolve(io.cwd, output)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, types)
    out.say(`${out.paint.green('✓')} Wrote ${output}.`)
    return { json: { output: file } }
  },
}

export function typesOf(config: BillingConfig): string {
  const prices = config.products.flatMap((product) => product.prices ?? [])
  const present = (values: readonly (string | undefined)[]) => [
    ...new Set(values.filter((value) => value !== undefined)),
  ]
  const isPublic = (price: (typeof prices)[number]) =>
    price.public !== false && price.enterprise_template === undefined && price.enterprise_id === undefined
  const unions: Record<string, readonly string[]> = {
    ProductId: config.products.map(({ id }) => id),
    PriceId: prices.map(({ id }) => id),
    PublicPriceId: prices.filter(isPublic).map(({ id }) => id),
    FeatureId: (config.features ?? []).map(({ id }) => id),
    MeterId: (config.meters ?? []).map(({ id }) => id),
    MeterEventName: (config.meters ?? []).map((meter) => meter.event_name),
    CouponId: (config.coupons ?? []).map(({ id }) => id),
    PromotionCode: (config.promotion_codes ?? []).map(({ code }) => code),
    TaxRateId: (config.tax_rates ?? []).map(({ id }) => id),
    PortalId: (config.portal ?? []).map(({ id }) => id),
    WebhookId: (config.webhooks ?? []).map(webhookId),
    EnterpriseTemplate: present(prices.map((price) => price.enterprise_template)),
    EnterpriseId: present(prices.map((price) => price.enterprise_id)),
  }
  const lines = Object.entries(unions).map(([name, ids]) => `export type ${name} =${unionOfIds(ids)}`)
  return [
    `// Made by \`ratecard billing types\` from version ${config.version}. Changes here are lost.\n`,
    `/* eslint-disable */\n`,
    `\n${lines.join('\n')}\n`,
    `\n// Registers the ids with the client: from now on an unknown id is a type error in each of its calls.\n`,
    // Without the client in the project, the unions alone are of use.
    `// @ts-ignore\n`,
    `declare module '@ratecard/client' {\n  interface RegisteredIds {\n`,
    ...registered.map((name) => `    ${name}: ${name}\n`),
    `  }\n}\n`,
  ].join('')
}

/** Kinds of ids that the client's calls take. */
const registered = ['ProductId', 'PriceId', 'FeatureId', 'MeterId', 'CouponId', 'EnterpriseTemplate', 'EnterpriseId']

function unionOfIds(ids: readonly string[]): string {
  if (ids.length === 0) return ' never'
  const quoted = ids.map((id) => `'${id.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`)
  return quoted.length <= 3 ? ` ${quoted.join(' | ')}` : quoted.map((id) => `\n  | ${id}`).join('')
}
