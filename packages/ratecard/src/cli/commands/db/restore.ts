import path from 'node:path'
import type { Command } from '../../program/command.ts'
import { dataDirOption, maintained } from './data-dir.ts'

export const dbRestore: Command = {
  name: 'db restore',
  summary: 'Put a backup in the place of the embedded store',
  description:
    'The server must be stopped. The backup is read through first: the database, the hash chain of its history, and whether the master key opens its secrets; without the key that it was made under it is useless. A store that is there already is replaced only with --force (or --yes, or when you say so), and is kept beside the new one.',
  arguments: [{ name: '<file>', description: 'A file that `db backup` made.' }],
  options: [dataDirOption, { flags: '--force', description: 'Replace the store that is there; it is kept beside.' }],
  examples: [{ command: 'ratecard db restore backup.db', what: 'into ./.ratecard' }],
  run: async (context) => {
    const { args, io, out, global, options } = context
    const { restoreStore } = await import('../../../composition/maintenance.ts')
    const mayReplace = async (store: string, kept: string): Promise<boolean> => {
      if (options.flag('force') || global.yes) return true
      if (!io.interactive || global.json) return false
      return io.confirm(`Replace ${store}? It is kept as ${path.basename(kept)}.`)
    }
    const report = await restoreStore(maintained(context), path.resolve(io.cwd, args[0] ?? ''), mayReplace)
    const { store, kept, revisions } = report
    out.say(`${out.paint.green('✓')} Restored ${store}: ${String(revisions)} revisions, hash chain intact.`)
    if (kept !== null) out.say(`  What was there before is ${kept}.`)
    out.say('  Start the server, then see `ratecard doctor` and `ratecard billing drift`.')
    return { json: { store, kept, revisions } }
  },
}
