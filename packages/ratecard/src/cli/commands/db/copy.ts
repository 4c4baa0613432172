import type { Command } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { dataDirOption, maintained } from './data-dir.ts'

export const dbCopy: Command = {
  name: 'db copy',
  summary: 'Copy the embedded store into an empty PostgreSQL database',
  description:
    'For those who outgrow one machine. The server must be stopped. All records or none: counts and the hash chain are checked before anything is kept. The embedded store stays as it is. The master key stays the same: give the new server the content of the key file in RATECARD_MASTER_KEY.',
  options: [
    {
      flags: '--to <url>',
      description: 'A PostgreSQL URL. Others on this machine can see it; DATABASE_URL they cannot.',
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
    if (to === '') throw usageFailure('It was not said where to copy to.', 'Give --to or DATABASE_URL.')
    if (!URL.canParse(to) || !/^postgres(ql)?:$/.test(new URL(to).protocol))
      throw usageFailure(
        'What to copy to is not a postgres:// URL.',
        'Percent-encode special characters of the password.',
      )
    const { moveStore } = await import('../../../composition/maintenance.ts')
    const { rows, masterKey } = await moveStore(maintained(context), to)
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    out.say(`${out.paint.green('✓')} Copied ${String(total)} rows; the history is intact.`)
    out.say(`  Start the server with DATABASE_URL and with RATECARD_MASTER_KEY: the same key as in ${masterKey}.`)
    return { json: { rows, master_key: masterKey } }
  },
}
