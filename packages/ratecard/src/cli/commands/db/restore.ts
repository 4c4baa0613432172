import path from 'node:path'
import type { Command } from '../../program/command.ts'
import { dataDirOption, storePlace } from './data-dir.ts'

export const dbRestore: Command = {
  name: 'db restore',
  summary: 'Replace the embedded store with a backup',
  description:
    'Stop the server first. The backup is verified before it is used: the database, the hash chain of its history, and whether the master key decrypts its secrets. You need the master key that was in use when the backup was made. An existing store is replaced only with --force or --yes, or if you confirm it. It is kept beside the new one.',
  arguments: [{ name: '<file>', description: 'A file that `db backup` made.' }],
  options: [
    dataDirOption,
    { flags: '--force', description: 'Replace an existing store. The old one is kept beside the new one.' },
  ],
  examples: [{ command: 'ratecard db restore backup.db', what: 'into ./.ratecard' }],
  run: async (context) => {
    const { args, io, out, global, options } = context
    const { restoreStore } = await import('../../../server/composition/maintenance.ts')
    const mayReplace = async (store: string, kept: string): Promise<boolean> => {
      if (options.flag('force') || global.yes) return true
      if (!io.interactive || global.json) return false
      return io.confirm(`Replace ${store}? It is kept as ${path.basename(kept)}.`)
    }
    const report = await restoreStore(storePlace(context), path.resolve(io.cwd, args[0] ?? ''), mayReplace)
    const { store, kept, revisions } = report
    out.say(
      `${out.paint.green('✓')} Restored ${store}: ${String(revisions)} ${revisions === 1 ? 'revision' : 'revisions'}, hash chain intact.`,
    )
    if (kept !== null) out.say(`  The earlier store is now ${kept}.`)
    out.say('  Start the server, then see `ratecard doctor` and `ratecard billing drift`.')
    return { json: { store, kept, revisions } }
  },
}
