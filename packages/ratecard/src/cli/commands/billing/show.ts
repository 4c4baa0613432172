import { escapeBreaks } from '../../terminal/terminal-text.ts'
import type { BillingDocument, PriceDocument } from '@ratecard/client'
import { configWithAmounts } from '../../../document/schema/prices/percent-off.ts'
import type { BillingConfig, Price } from '../../../document/schema/schema.ts'
import { describePrice } from '../../../document/pricing/describe.ts'
import type { Command, CommandContext, CommandResult } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { redactRevisions } from '../../terminal/conceal.ts'
import { redactEnvironment } from '../../files/read-config.ts'
import { connect, type ServerConnection } from '../../server-address.ts'
import { jsonServed } from '../../views/text/json.ts'
import { showTime, formatTable } from '../../views/text/table.ts'

export const billingShow: Command = {
  name: 'billing show',
  summary: 'Show the current configuration, a price, a product or a meter',
  arguments: [
    { name: '[kind]', description: '`price`, `product` or `meter`.' },
    { name: '[id]', description: 'Id of the price, product or meter in the configuration.' },
  ],
  options: [{ flags: '--public', description: 'Only what customers see; needs no service key.' }],
  examples: [
    { command: 'ratecard billing show', what: 'all products and prices' },
    { command: 'ratecard billing show price pro_monthly', what: 'one price, with its processor id' },
  ],
  run: async (context) => {
    const [kind, id] = context.args
    const connection = connect(context)
    if (kind === undefined) return showAll(context, connection)
    if (kind !== 'price' && kind !== 'product' && kind !== 'meter')
      throw usageFailure(`"${kind}" cannot be shown.`, 'Use `price`, `product` or `meter`.')
    if (id === undefined)
      throw usageFailure(`Name the ${kind}.`, `For example \`ratecard billing show ${kind} my_id\`.`)
    return showOne(context, connection, kind, id)
  },
}

async function showAll(
  { options, io, out, global }: CommandContext,
  { client }: ServerConnection,
): Promise<CommandResult> {
  const call = { signal: io.signal }
  const served = options.flag('public') ? await client.billing.config(call) : await client.admin.config(call)
  redactEnvironment({ io, global })
  if (!options.flag('public')) await redactRevisions({ io }, client, [served.revision])
  const { paint } = out
  out.say(
    `Version ${paint.bold(escapeBreaks(served.version))}, revision ${served.revision}, since ${showTime(served.updatedAt)} UTC\n`,
  )
  out.print(
    formatTable(
      ['product', 'price', 'amount', 'notes', 'processor id'],
      configWithAmounts(served.config as BillingConfig).products.flatMap(productRows),
      out,
    ),
  )
  const rest = otherRows(served.config)
  if (rest.length > 0) out.print(`\n${formatTable(['kind', 'id', 'what'], rest, out)}`)
  return { json: jsonServed(served) }
}

async function showOne(
  { io, out }: CommandContext,
  { client }: ServerConnection,
  kind: 'price' | 'product' | 'meter',
  id: string,
): Promise<CommandResult> {
  const call = { signal: io.signal }
  if (kind === 'price') {
    const found = await client.billing.price(id, call)
    out.say(
      `${out.paint.bold(found.price.id)}  ${priceLine(found.price)}  ${out.paint.dim(`of ${found.product.name}`)}\n`,
    )
    out.print(JSON.stringify(found.price, null, 2))
    return { json: found }
  }
  const item = kind === 'product' ? await client.billing.product(id, call) : await client.billing.meter(id, call)
  out.print(JSON.stringify(item, null, 2))
  return { json: { [kind]: item } }
}

function productRows(product: BillingDocument['products'][number]): string[][] {
  const { prices = [] } = product
  if (prices.length === 0) return [[product.id, '–', '', '', product.processor_id ?? '']]
  return prices.map((price, index) => [
    index === 0 ? product.id : '',
    price.id,
    priceLine(price),
    priceNotes(price).join(', '),
    price.processor_id ?? '',
  ])
}

/**
 * A newer server may return currencies that this build does not know. Their amounts are shown unformatted. The casts are needed because the
 * client's type allows such currencies.
 */
function priceLine(price: PriceDocument): string {
  return describePrice(price as Price)
}

function priceNotes(price: PriceDocument): string[] {
  return [
    ...(price.default === true ? ['default'] : []),
    ...(price.public === false ? ['hidden'] : []),
    ...(price.enterprise_template === undefined ? [] : [`template ${price.enterprise_template}`]),
    ...(price.enterprise_id === undefined ? [] : [`for ${price.enterprise_id}`]),
  ]
}

function otherRows(config: BillingDocument): string[][] {
  return [
    ...(config.features ?? []).map((feature) => ['feature', feature.id, feature.name]),
    ...(config.meters ?? []).map((meter) => ['meter', meter.id, `${meter.display_name} (${meter.event_name})`]),
    ...(config.coupons ?? []).map((coupon) => ['coupon', coupon.id, coupon.name ?? '']),
    ...(config.promotion_codes ?? []).map((code) => ['promotion code', code.id, code.code]),
    ...(config.tax_rates ?? []).map((rate) => ['tax rate', rate.id, `${rate.display_name} ${rate.percentage}%`]),
    ...(config.portal ?? []).map((portal) => ['portal', portal.id, Object.keys(portal.features).join(', ')]),
    ...(config.webhooks ?? []).map((webhook) => ['webhook', webhook.id ?? '–', webhook.url]),
  ]
}
