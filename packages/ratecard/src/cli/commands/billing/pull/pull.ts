import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Client } from '@ratecard/client'
import type { Command, CommandContext } from '../../../program/command.ts'
import { escapeVariables } from '../../../../document/files/interpolate.ts'
import type { BillingConfig } from '../../../../document/schema/schema.ts'
import { problemCodes } from '../../../../base/errors/codes.ts'
import { CliFailure, usageFailure } from '../../../failure.ts'
import { readText } from '../../../files/read-text.ts'
import { withoutSecrets } from '../../../files/webhook-secrets.ts'
import { connect } from '../../../server-address.ts'
import { howToFinish, describeUnfinished, unfinishedPush } from '../../../follow/unfinished-push.ts'
import { countsOf, noteLeftOut, noteVariables } from './pull-notes.ts'
import { updateFiles } from './pull-update.ts'

export const billingPull: Command = {
  name: 'billing pull',
  summary: 'Write the active objects at the processor as a configuration',
  description:
    'Products, prices, features, meters, coupons, promotion codes and webhooks of the account, with your own fields from the current revision. Without --output the document goes to stdout. A file that exists and differs is kept beside it as <file>.bak.\n\nWith --update, your own files are changed in place: only values that differ, with comments, order and formatting kept. Values that come from variables are never overwritten.\n\nA secret in the URL of a webhook becomes a variable; the line to add to the environment file is printed.',
  options: [
    { flags: '--output <file>', description: 'File to write. It is written completely or not at all.' },
    {
      flags: '--update [path...]',
      description: 'Edit these files or folders (default: ratecard/billing) so that they match the live values.',
    },
    { flags: '--all', description: 'With --update: also add active objects that are in no file.' },
    { flags: '--dry-run', description: 'With --update: list the edits and stop.' },
    {
      flags: '--codes <which>',
      description: '`active` leaves out promotion codes that were used up, have expired or are switched off.',
      choices: ['all', 'active'],
      defaultText: 'all',
    },
  ],
  examples: [
    {
      command: 'ratecard billing pull --output ratecard/billing/billing.json',
      what: 'write the configuration into the project',
    },
    { command: 'ratecard billing pull > account.json', what: 'save the account to a file, to look at it' },
    { command: 'ratecard billing pull --update', what: 'copy edits made at the processor into your files' },
  ],
  run: async (context) => {
    const { options, io, out } = context
    const update = options.flag('update') || options.list('update').length > 0
    if (update && options.text('output') !== undefined)
      throw usageFailure(
        '--update and --output cannot be combined.',
        '--update edits your files, --output writes a new file.',
      )
    if (!update && (options.flag('all') || options.flag('dryRun')))
      throw usageFailure('--all and --dry-run need --update.', 'Write `ratecard billing pull --update --dry-run`.')
    const { client } = connect(context)
    await mindHalfDone(context, client, update)
    const codes = options.text('codes') === 'active' ? 'active' : 'all'
    const pulled = await client.admin.pull({ signal: io.signal, codes })
    // Escape `${`, because in a project file `${NAME}` is a variable.
    if (update) return updateFiles(context, pulled)
    const { document, variables } = withoutSecrets(escapeVariables(pulled.document) as BillingConfig)
    const text = `${JSON.stringify(document, null, 2)}\n`
    const output = options.text('output')
    noteLeftOut(context, pulled.unrepresentable)
    noteVariables(context, variables)
    if (output === undefined) {
      out.print(text)
      return { json: document }
    }
    const file = path.resolve(io.cwd, output)
    const backup = writeKeeping(file, text)
    out.say(`${out.paint.green('✓')} Wrote ${output}: ${countsOf(document)}.`)
    if (backup !== null) out.say(`  The earlier content is in ${path.relative(io.cwd, backup)}.`)
    return {
      json: {
        output: file,
        backup,
        document,
        variables,
        unrepresented: pulled.unrepresentable.map(({ kind, processorId, field, reason }) => ({
          kind,
          processor_id: processorId,
          field,
          reason,
        })),
      },
    }
  },
}

/**
 * Refuses or warns while a push is unfinished. Some live values are still old then, and pulling them into the files would revert the
 * author's change.
 */
async function mindHalfDone(
  { global, options, io, out }: CommandContext,
  client: Client,
  update: boolean,
): Promise<void> {
  const push = await unfinishedPush(client, io.signal)
  if (push === null) return
  if (!update || global.yes || options.flag('dryRun')) {
    out.note(`${out.paint.yellow('warning')} ${describeUnfinished(push)} Only a part of its changes is live.`)
    return
  }
  throw new CliFailure(1, {
    code: 'push_unfinished',
    title: problemCodes.push_unfinished.title,
    detail: `${describeUnfinished(push)} Its unfinished changes would look like edits at the processor, so that a pull would undo your own changes in the files. No file was changed.`,
    hint: `${howToFinish(push)} To pull the live values anyway: --yes.`,
  })
}

/**
 * Writes the file atomically (by rename). If the file existed with other content, keeps it as a backup and returns the backup's path;
 * otherwise returns null.
 */
export function writeKeeping(file: string, text: string): string | null {
  mkdirSync(path.dirname(file), { recursive: true })
  const before = existsSync(file) ? readText(file) : null
  if (before === text) return null
  const backup = before === null ? null : `${file}.bak`
  if (before !== null && backup !== null) writeFileSync(backup, before)
  const draft = `${file}.${randomUUID()}.tmp`
  writeFileSync(draft, text)
  renameSync(draft, file)
  return backup
}
