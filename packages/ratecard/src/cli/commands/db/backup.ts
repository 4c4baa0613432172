import path from 'node:path'
import type { Command } from '../../program/command.ts'
import { dataDirOption, storePlace } from './data-dir.ts'

export const dbBackup: Command = {
  name: 'db backup',
  summary: 'Write a complete copy of the embedded store to a new file',
  description:
    'Works while the server is running. The secrets in the backup are encrypted, so a backup is useless without the master key (RATECARD_MASTER_KEY, or the file `master-key` in the data directory). Keep the key too, in another place. For PostgreSQL, use pg_dump.',
  arguments: [{ name: '<file>', description: 'File to write. An existing file is never overwritten.' }],
  options: [dataDirOption],
  examples: [{ command: 'ratecard db backup backup.db', what: 'back up the store in ./.ratecard' }],
  run: async (context) => {
    const { args, io, out } = context
    const { backupStore } = await import('../../../server/composition/maintenance.ts')
    const report = await backupStore(storePlace(context), path.resolve(io.cwd, args[0] ?? ''))
    const { file, sizeBytes, revisions, masterKey, keyFits } = report
    const size = `${String(Math.ceil(sizeBytes / 1024))} KiB, history of ${String(revisions)} ${revisions === 1 ? 'revision' : 'revisions'} intact`
    out.say(`${out.paint.green('✓')} Backed up to ${file} (${size}).`)
    out.say(`  Also keep the master key, in another place: ${masterKey}. Without it this backup is useless.`)
    if (keyFits === null)
      out.note(`${out.paint.yellow('warning')} That key was not found here, so the backup was not tested with it.`)
    if (keyFits === false)
      out.note(`${out.paint.yellow('warning')} That key does not decrypt the backup: the server uses another key.`)
    return {
      json: { file, size_bytes: sizeBytes, revisions, master_key: masterKey, master_key_fits: keyFits },
    }
  },
}
