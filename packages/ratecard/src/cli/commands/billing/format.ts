// The option `--format`: text for a terminal, or Markdown for a comment on a pull request.
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

/** Returns the context to print with. For Markdown, only the document goes to stdout, so that it can be piped. */
export function withMarkdownOutput(context: CommandContext): CommandContext {
  if (!wantsMarkdown(context)) return context
  if (context.global.json)
    throw usageFailure('--format markdown and --json cannot be combined.', 'Leave out one of the two.')
  return { ...context, out: { ...context.out, say: () => undefined } }
}

/**
 * Returns a function that replaces secrets in a text by their variable names. Call it before the text is escaped or truncated; afterwards a
 * secret may no longer be found.
 */
export const redactor =
  ({ io }: Pick<CommandContext, 'io'>): Redact =>
  (text) =>
    io.shown?.(text) ?? text
