import type { Command } from '../command.ts'
import { connect } from '../server-address.ts'
import { jsonKey } from '../views/json.ts'
import { showTime, table } from '../views/table.ts'

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'Make a service key',
  description:
    'The key is shown this once; the server keeps only a hash of it. Several keys work at once: make the new one, move to it, revoke the old one.',
  arguments: [{ name: '<name>', description: 'What it is for, for example `ci`.' }],
  options: [],
  examples: [{ command: 'ratecard keys create ci', what: 'prints the key and nothing else on stdout' }],
  run: async (context) => {
    const { args, io, out } = context
    const key = await connect(context).client.admin.createKey(args[0] ?? '', { signal: io.signal })
    out.note(`Key "${key.name}" (${key.id}). Keep it now: it is not shown again.`)
    out.print(key.key)
    return { json: { ...jsonKey(key), key: key.key } }
  },
}

export const keysList: Command = {
  name: 'keys list',
  summary: 'List service keys',
  options: [],
  examples: [{ command: 'ratecard keys list', what: 'names, hints and last use; never the keys' }],
  run: async (context) => {
    const { io, out } = context
    const keys = await connect(context).client.admin.keys({ signal: io.signal })
    const columns = ['id', 'name', 'ends with', 'made (UTC)', 'last used (UTC)', 'state'].map((title) => ({ title }))
    const rows = keys.map((key) => [
      key.id,
      key.name,
      key.hint,
      showTime(key.createdAt),
      showTime(key.lastUsedAt),
      key.revokedAt === null ? out.paint.green('valid') : out.paint.red(`revoked ${showTime(key.revokedAt)}`),
    ])
    out.print(table(columns, rows, out.paint))
    return { json: { keys: keys.map(jsonKey) } }
  },
}

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'Revoke a service key at once',
  arguments: [{ name: '<id>', description: 'Id of the key, from `ratecard keys list`.' }],
  options: [],
  examples: [{ command: 'ratecard keys revoke key_01', what: 'callers that still use it get 401' }],
  run: async (context) => {
    const { args, io, out } = context
    const id = args[0] ?? ''
    await connect(context).client.admin.revokeKey(id, { signal: io.signal })
    out.say(`${out.paint.green('✓')} Revoked ${id}.`)
    return { json: { id, revoked: true } }
  },
}
