// `billing pull --update`: edits the author's files in place so that they match the live values.
import { randomUUID } from 'node:crypto'
import { realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import type { Pulled } from '@ratecard/client'
import { editSource } from '../../../../document/edit/apply-edits.ts'
import { NotEditable } from '../../../../document/edit/edit.ts'
import { validateConfig } from '../../../../document/validation/validate.ts'
import type { CommandContext, CommandResult } from '../../../program/command.ts'
import { CliFailure } from '../../../failure.ts'
import { isRecord, type LiveEdit } from '../../../files/file-items.ts'
import { withoutSecret, type SecretVariable } from '../../../files/webhook-secrets.ts'
import { noteVariables } from './pull-notes.ts'
import { liveEdits, type LiveEdits } from '../../../files/live-edits.ts'
import { readConfig, requireConfig, type SourceFile } from '../../../files/read-config.ts'
import type { Paint } from '../../../terminal/output.ts'
import { count } from '../../../views/issues.ts'

export async function updateFiles(context: CommandContext, pulled: Pulled): Promise<CommandResult> {
  const { options, out } = context
  const read = readConfig({ ...context, args: options.list('update') })
  const config = requireConfig(read)
  const { config: live } = validateConfig(pulled.document)
  if (live === null)
    throw new CliFailure(1, {
      code: 'config_invalid',
      title: 'The live objects do not form a valid document',
      detail: 'The account has no product that a configuration can express.',
      hint: 'See `ratecard billing pull`.',
    })
  const variables: SecretVariable[] = []
  const all = liveEdits(read.sources, config, live, { all: options.flag('all') })
  const found = { ...all, edits: all.edits.map((edit) => withVariables(edit, variables)) }
  printEdits(context, found)
  noteVariables(context, variables)
  if (found.refused.length > 0)
    throw new CliFailure(1, {
      code: 'update_refused',
      title: 'Some values cannot be written into the files',
      detail: `${found.refused.join('\n')}\nNo file was changed.`,
      hint: 'Set the variables to the live values, or undo the edit at the processor: `ratecard billing push --force`.',
    })
  const changed = read.sources.flatMap((source) => {
    const edits = found.edits.filter((edit) => edit.source === source)
    return edits.length === 0 ? [] : [{ source, edits, text: textOf(source, edits) }]
  })
  const json = {
    files: changed.map(({ source, edits }) => ({ file: source.path, edits: edits.map(jsonEdit) })),
    not_live: found.notLive,
    not_in_files: found.notInFiles,
  }
  if (changed.length === 0) {
    out.say(
      found.notLive.length === 0
        ? `${out.paint.green('✓')} The files match the live values.`
        : `${out.paint.yellow('!')} The files differ only in objects that are inactive at the processor. Remove these objects from the files, or activate them at the processor.`,
    )
    return { json: { ...json, written: false } }
  }
  if (options.flag('dryRun')) return { json: { ...json, written: false } }
  await confirmEdits(context, found.edits.length)
  for (const { source, text } of changed) replaceFile(source.file, text)
  out.say(
    `\n${out.paint.green('✓')} Changed ${changed.map(({ source }) => source.path).join(', ')}. Review the changes, then push.`,
  )
  return { json: { ...json, written: true } }
}

/** Returns the edit with variables in place of secrets in a webhook URL, and appends the variables to `variables`. */
function withVariables(edit: LiveEdit, variables: SecretVariable[]): LiveEdit {
  if (!edit.item.startsWith('webhook ')) return edit
  const { value } = edit
  const id = edit.item.slice('webhook '.length)
  if (edit.field === 'url' && typeof value === 'string') return { ...edit, value: withoutSecret(value, id, variables) }
  if (!isRecord(value) || typeof value['url'] !== 'string') return edit
  return { ...edit, value: { ...value, url: withoutSecret(value['url'], id, variables) } }
}

function printEdits({ out }: CommandContext, { edits, notLive, notInFiles }: LiveEdits): void {
  for (const edit of edits) out.say(lineOf(edit, out.paint))
  for (const name of notLive)
    out.note(`${out.paint.yellow('left')} ${name} is not active at the processor; the file still has it.`)
  if (notInFiles.length > 0)
    out.note(
      `${out.paint.yellow('left')} ${count(notInFiles.length, 'active object')} in no file: ${joinFew(notInFiles)}. Add them with --all.`,
    )
}

function lineOf({ source, item, field, before, value }: LiveEdit, paint: Paint): string {
  const shown = (something: unknown) => (something === undefined ? '(none)' : truncate(JSON.stringify(something)))
  return `  ${paint.dim(source.path)}  ${paint.bold(item)}  ${field}: ${shown(before)} ${paint.dim('→')} ${shown(value)}`
}

function truncate(text: string): string {
  return text.length > 70 ? `${text.slice(0, 69)}…` : text
}

function joinFew(names: readonly string[]): string {
  return names.length <= 8 ? names.join(', ') : `${names.slice(0, 8).join(', ')} and ${names.length - 8} more`
}

function jsonEdit({ item, path, before, value }: LiveEdit) {
  return { item, path, before: before ?? null, after: value ?? null }
}

function textOf(source: SourceFile, edits: readonly LiveEdit[]): string {
  try {
    return editSource(source, edits)
  } catch (error) {
    if (!(error instanceof NotEditable)) throw error
    throw new CliFailure(1, {
      code: 'update_refused',
      title: 'A value cannot be changed in place',
      detail: `${source.path}: ${error.message} No file was changed.`,
      hint: 'Write this place without anchors and aliases, or change it by hand.',
    })
  }
}

async function confirmEdits({ global, io }: CommandContext, edits: number): Promise<void> {
  if (global.yes || global.json || !io.interactive) return
  if (await io.confirm(`Make ${count(edits, 'edit')}?`)) return
  throw new CliFailure(1, { code: 'declined', title: 'The edits were declined', detail: 'No file was changed.' })
}

/** Replaces the file atomically (by rename). Follows a symlink, and keeps the file's mode. */
function replaceFile(name: string, text: string): void {
  const file = realpathSync(name)
  const draft = `${file}.${randomUUID()}.tmp`
  writeFileSync(draft, text, { mode: statSync(file).mode & 0o777, flag: 'wx' })
  renameSync(draft, file)
}
