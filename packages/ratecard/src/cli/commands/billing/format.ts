// `--format`: output for a terminal, or Markdown for a comment on a pull request.
import type { CommandContext, OptionSpec } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import type { Redact } from '../../views/markdown.ts'

export const formatOption: OptionSpec = {
  flags: '--format <name>',
  description: '`markdown` prints a table for a pull request, at most 60,000 characters long.',
  choices: ['text', 'markdown'],
  defaultText: 'text',
}

export const wantsMarkdown = ({ options }: Pick<CommandContext, 'options'>): boolean =>
  options.text('format') === 'markdown'

/** With Markdown, stdout contains nothing else. */
export function formatted(context: CommandContext): CommandContext {
  if (!wantsMarkdown(context)) return context
  if (context.global.json)
    throw usageFailure('--format markdown and --json do not go together.', 'Leave one of the two away.')
  return { ...context, out: { ...context.out, say: () => undefined } }
}

/** Replaces secrets by their variable names. Must run before a value is escaped or truncated. */
export const redactor =
  ({ io }: Pick<CommandContext, 'io'>): Redact =>
  (text) =>
    io.shown?.(text) ?? text
