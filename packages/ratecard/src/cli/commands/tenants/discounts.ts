import type { Discount, DiscountPlan } from '@ratecard/client'
import { authorOf } from '../../author.ts'
import type { ArgumentSpec, Command, CommandContext, CommandResult, OptionSpec } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { connect } from '../../server-address.ts'
import { requireConsent } from '../../terminal/confirm.ts'
import { printTable, showTime } from '../../views/text/table.ts'
import { jsonDiscount, jsonDiscountPlan, jsonDiscounts } from '../../views/text/json.ts'

const tenantArgument: ArgumentSpec = { name: '<tenant>', description: 'Id of the tenant.' }
const dryRunOption: OptionSpec = {
  flags: '--dry-run',
  description: 'Show the next invoice before and after; nothing is changed.',
}

export const tenantsDiscountsList: Command = {
  name: 'tenants discounts list',
  summary: 'List the discounts of a tenant’s subscriptions',
  arguments: [tenantArgument],
  examples: [{ command: 'ratecard tenants discounts list glazeworks', what: 'with the id of each' }],
  run: async (context) => {
    const { args, io, out } = context
    const discounts = await connect(context).client.discounts.list(args[0] ?? '', { signal: io.signal })
    printTable(
      out,
      ['discount', 'coupon', 'code', 'ends', 'subscription'],
      discounts.map(({ id, couponId, promotionCodeId, endsAt, subscription }) => [
        id,
        couponId ?? '—',
        promotionCodeId ?? '—',
        endsAt === null ? '—' : showTime(endsAt),
        subscription,
      ]),
      'No subscription has a discount.',
    )
    return { json: jsonDiscounts({ discounts }) }
  },
}

export const tenantsDiscountsAdd: Command = {
  name: 'tenants discounts add',
  summary: 'Give a discount to a running subscription',
  description:
    'The discount reduces invoices from the next one on. Nothing is billed or credited now. Other discounts of the subscription keep their dates.',
  arguments: [tenantArgument],
  options: [
    { flags: '--coupon <id>', description: 'Id of the coupon.' },
    { flags: '--code <code>', description: 'A promotion code, or its id.' },
    { flags: '--subscription <id>', description: 'Id of the subscription. Required if the tenant has several.' },
    dryRunOption,
  ],
  examples: [
    {
      command: 'ratecard tenants discounts add glazeworks --coupon loyal_20 --dry-run',
      what: 'preview the next invoice',
    },
    { command: 'ratecard tenants discounts add glazeworks --coupon loyal_20', what: 'from the next invoice on' },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const [couponId, promotionCode] = [options.text('coupon'), options.text('code')]
    if ((couponId === undefined) === (promotionCode === undefined))
      throw usageFailure('Which discount?', 'Give either --coupon or --code.')
    const tenant = args[0] ?? ''
    const wanted = {
      ...(couponId === undefined ? {} : { couponId }),
      ...(promotionCode === undefined ? {} : { promotionCode }),
      ...optionalMember('subscription', options.text('subscription')),
    }
    const { discounts } = connect(context).client
    if (options.flag('dryRun')) return showPlan(context, await discounts.plan(tenant, wanted, { signal: io.signal }))
    const added = await discounts.add(tenant, wanted, { author: await authorOf(context), signal: io.signal })
    out.say(`${out.paint.green('✓')} Gave ${nameOf(added)} to ${added.subscription}: ${added.id}.`)
    return { json: jsonDiscount(added) }
  },
}

export const tenantsDiscountsRemove: Command = {
  name: 'tenants discounts remove',
  summary: 'Remove a discount from a subscription',
  description: 'Takes effect with the next invoice. If you give the discount again later, its duration starts again.',
  arguments: [tenantArgument, { name: '<discount>', description: 'Its id, from `ratecard tenants discounts list`.' }],
  options: [dryRunOption],
  examples: [{ command: 'ratecard tenants discounts remove glazeworks di_1Q4x', what: 'asks first' }],
  run: async (context) => {
    const { args, options, io, out } = context
    const [tenant = '', discount = ''] = args
    const { client, url } = connect(context)
    const plan = await client.discounts.planRemoval(tenant, discount, { signal: io.signal })
    if (options.flag('dryRun')) return showPlan(context, plan)
    showPlan(context, plan)
    await requireConsent(context, {
      question: `Take the discount ${discount} away from "${tenant}" at ${url}?`,
      title: 'The removal of a discount needs to be confirmed',
      detail: `The tenant "${tenant}" is at ${url}.`,
      hint: `To confirm: \`ratecard tenants discounts remove ${tenant} ${discount} --yes\`.`,
    })
    await client.discounts.remove(tenant, discount, { author: await authorOf(context), signal: io.signal })
    out.say(`${out.paint.green('✓')} Took ${discount} away.`)
    return { json: { tenant_id: tenant, id: discount, removed: true } }
  },
}

const optionalMember = <Name extends string>(name: Name, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: string }

const nameOf = ({ couponId, promotionCodeId }: Pick<Discount, 'couponId' | 'promotionCodeId'>) =>
  promotionCodeId ?? couponId ?? 'the discount'

function showPlan({ out }: CommandContext, plan: DiscountPlan): CommandResult {
  const { subscription, nextInvoice } = plan
  out.say(
    nextInvoice === null
      ? `  ${subscription}  no further invoice`
      : `  ${subscription}  next invoice ${nextInvoice.beforeFormatted} → ${nextInvoice.afterFormatted}`,
  )
  return { json: jsonDiscountPlan(plan) }
}
