import type { Grant, NewGrant } from '@ratecard/client'
import type { Command, CommandContext } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { futureBillingTime } from '../../times.ts'
import { connect } from '../../server-address.ts'
import { jsonGrant, jsonGrants } from '../../views/text/json.ts'
import { printTable, showTime } from '../../views/text/table.ts'
import { authorOf } from '../../author.ts'
import { tenantArgument } from './tenants.ts'

export const tenantsGrants: Command = {
  name: 'tenants grants',
  summary: 'Show the features that were granted to a tenant by hand',
  arguments: [tenantArgument],
  examples: [{ command: 'ratecard tenants grants glazeworks', what: 'limits, switches, and when they end' }],
  run: async (context) => {
    const { args, io, out } = context
    const grants = await connect(context).client.tenants.grants(args[0] ?? '', { signal: io.signal })
    const rows = grants.map((grant) => [
      grant.feature,
      grantText(grant),
      grant.endsAt === null ? 'never' : showTime(grant.endsAt),
      grant.note ?? '',
    ])
    printTable(out, ['feature', 'granted', 'ends (UTC)', 'note'], rows, 'No feature was granted to the tenant by hand.')
    return { json: jsonGrants({ grants }) }
  },
}

export const tenantsGrant: Command = {
  name: 'tenants grant',
  summary: 'Give a tenant more of a feature, or take that back',
  description:
    'Adds to the limit that the tenant bought, or replaces it with --replace. A new grant replaces an earlier grant of the same feature.',
  arguments: [tenantArgument, { name: '<feature>', description: 'Id of the feature in the configuration.' }],
  options: [
    { flags: '--limit <n>', description: 'Granted limit: a whole number, or `unlimited`.' },
    { flags: '--enable', description: 'Give the tenant the feature, even if it did not buy it.' },
    { flags: '--disable', description: 'Take the feature away from the tenant, even if it bought it.' },
    {
      flags: '--replace',
      description: 'Replace the limit that the tenant bought. Default: add to it.',
    },
    {
      flags: '--until <date>',
      description: 'When the grant ends: on a day (2027-01-01, UTC) or at a time with a time zone.',
    },
    { flags: '--note <text>', description: 'For yourself.' },
    { flags: '--remove', description: 'Remove the grant.' },
  ],
  examples: [
    {
      command: 'ratecard tenants grant glazeworks projects --limit 50 --until 2027-01-01',
      what: '50 more until that day',
    },
    { command: 'ratecard tenants grant glazeworks projects --remove', what: 'back to what the tenant bought' },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const [id = '', feature = ''] = args
    const { client } = connect(context)
    const acting = { author: await authorOf(context), signal: io.signal }
    if (options.flag('remove')) {
      await client.tenants.removeGrant(id, feature, acting)
      out.say(`${out.paint.green('✓')} The grant is removed: ${id} has only what it bought of ${feature}.`)
      return { json: { id, feature, removed: true } }
    }
    const grant = await client.tenants.grant(id, feature, await wantedGrant(context), acting)
    const until = grant.endsAt === null ? '' : ` until ${showTime(grant.endsAt)} UTC`
    out.say(`${out.paint.green('✓')} ${id}: ${feature} ${grantText(grant)}${until}.`)
    return { json: jsonGrant(grant) }
  },
}

async function wantedGrant(context: CommandContext): Promise<NewGrant> {
  const { options } = context
  const [limit, until, note] = [options.text('limit'), options.text('until'), options.text('note')]
  if (limit !== undefined && limit !== 'unlimited' && !/^\d{1,12}$/.test(limit))
    throw usageFailure(`--limit must be a whole number or "unlimited", not "${limit}".`, 'For example --limit 50.')
  if (options.flag('enable') && options.flag('disable'))
    throw usageFailure('--enable and --disable cannot be combined.', 'Choose one.')
  return {
    ...(limit !== undefined && { limit: limit === 'unlimited' ? limit : Number(limit) }),
    ...(options.flag('enable') && { enabled: true }),
    ...(options.flag('disable') && { enabled: false }),
    ...(options.flag('replace') && { replace: true }),
    ...(until !== undefined && { endsAt: await futureBillingTime(context, '--until', until) }),
    ...(note !== undefined && { note }),
  }
}

function grantText({ limit, enabled, replace }: Grant): string {
  const parts = [
    ...(enabled === null ? [] : [enabled ? 'on' : 'off']),
    ...(limit === null ? [] : [replace ? `${String(limit)} in all` : `${String(limit)} more`]),
  ]
  return parts.join(', ')
}
