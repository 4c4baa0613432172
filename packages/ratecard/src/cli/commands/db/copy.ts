import type { Command } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { dataDirOption, storePlace } from './data-dir.ts'

export const dbCopy: Command = {
  name: 'db copy',
  summary: 'Copy the embedded store into an empty PostgreSQL database',
  description:
    'Use it when the service needs more than one machine. Stop the server first. Either all records are copied or none, because row counts and the hash chain are checked before the commit. The embedded store is not changed. The new server needs the same master key: set its RATECARD_MASTER_KEY to the content of the key file.',
  options: [
    {
      flags: '--to <url>',
      description: 'A PostgreSQL URL. Other users of this machine can read it here; they cannot read DATABASE_URL.',
      defaultText: 'DATABASE_URL',
    },
    dataDirOption,
  ],
  examples: [
    { command: 'ratecard db copy --to postgres://ratecard@db.example.com/ratecard', what: 'from ./.ratecard' },
  ],
  run: async (context) => {
    const { io, options, out } = context
    const to = options.text('to') ?? io.env['DATABASE_URL'] ?? ''
    if (to === '') throw usageFailure('No target was given.', 'Give --to or DATABASE_URL.')
    if (!URL.canParse(to) || !/^postgres(ql)?:$/.test(new URL(to).protocol))
      throw usageFailure(
        'The target of the copy is not a postgres:// URL.',
        'Percent-encode special characters of the password.',
      )
    const { moveStore } = await import('../../../server/composition/maintenance.ts')
    const { rows, masterKey } = await moveStore(storePlace(context), to)
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    out.say(`${out.paint.green('✓')} Copied ${String(total)} rows; the history is intact.`)
    out.say(`  Start the server with DATABASE_URL and with RATECARD_MASTER_KEY: the same key as in ${masterKey}.`)
    return { json: { rows, master_key: masterKey } }
  },
}
