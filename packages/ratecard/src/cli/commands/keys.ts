import { systemClock } from '../../base/clock.ts'
import type { Command } from '../program/command.ts'
import { futureTime } from '../times.ts'
import { connect } from '../server-address.ts'
import { jsonKey } from '../views/text/json.ts'
import { showTime, formatTable } from '../views/text/table.ts'

const keyScopes = ['read', 'write', 'owner'] as const

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'Create a service key',
  description:
    'The key is shown only once, because the server keeps only a hash of it. Several keys are valid at the same time. To replace a key, create the new one, use it everywhere, and revoke the old one.',
  arguments: [{ name: '<name>', description: 'Name that states the purpose, e.g. `ci`.' }],
  options: [
    {
      flags: '--scope <scope>',
      description:
        '`read`: may read, validate and plan, and sees no webhook secrets. `write`: may also change things. `owner`: may also set and override policies, and create owner keys.',
      choices: keyScopes,
      defaultText: 'write',
    },
    {
      flags: '--expires <when>',
      description: 'When the key expires: after a duration (90d, 12h), on a day, or at a time with its zone.',
      defaultText: 'never',
    },
  ],
  examples: [
    { command: 'ratecard keys create ci', what: 'prints the key and nothing else on stdout' },
    { command: 'ratecard keys create pull-requests --scope read --expires 90d', what: 'plans, but changes nothing' },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const key = await connect(context).client.admin.createKey(args[0] ?? '', {
      scope: keyScopes.find((scope) => scope === options.text('scope')),
      expiresAt: expiryOf(options.text('expires'), systemClock.now()),
      signal: io.signal,
    })
    const ends = key.expiresAt === null ? '' : `, until ${showTime(key.expiresAt)} UTC`
    out.note(`Key "${key.name}" (${key.id}, ${key.scope}${ends}). Save it now: it is not shown again.`)
    out.print(key.key)
    return { json: { ...jsonKey(key), key: key.key } }
  },
}

export const keysList: Command = {
  name: 'keys list',
  summary: 'List service keys',
  examples: [{ command: 'ratecard keys list', what: 'shows names, scopes, expiry and last use, never the keys' }],
  run: async (context) => {
    const { io, out } = context
    const keys = await connect(context).client.admin.keys({ signal: io.signal })
    const columns = ['id', 'name', 'scope', 'ends with', 'made (UTC)', 'last used (UTC)', 'expires (UTC)', 'state']
    const now = systemClock.now()
    const rows = keys.map((key) => [
      key.id,
      key.name,
      key.scope,
      key.hint,
      showTime(key.createdAt),
      showTime(key.lastUsedAt),
      key.expiresAt === null ? 'never' : showTime(key.expiresAt),
      key.revokedAt !== null
        ? out.paint.red(`revoked ${showTime(key.revokedAt)}`)
        : key.expiresAt !== null && Date.parse(key.expiresAt) <= now
          ? out.paint.red('expired')
          : out.paint.green('valid'),
    ])
    out.print(formatTable(columns, rows, out))
    return { json: { keys: keys.map(jsonKey) } }
  },
}

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'Revoke a service key at once',
  arguments: [{ name: '<id>', description: 'Id of the key, from `ratecard keys list`.' }],
  examples: [{ command: 'ratecard keys revoke key_01', what: 'callers that still use it get 401' }],
  run: async (context) => {
    const { args, io, out } = context
    const id = args[0] ?? ''
    await connect(context).client.admin.revokeKey(id, { signal: io.signal })
    out.say(`${out.paint.green('✓')} Revoked ${id}.`)
    return { json: { id, revoked: true } }
  },
}

function expiryOf(text: string | undefined, now: number): string | undefined {
  return text === undefined ? undefined : futureTime('--expires', text, now)
}
