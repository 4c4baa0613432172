// Errors for an unknown command or invalid arguments.
import type { CommanderError } from 'commander'
import type { Command } from './program/command.ts'
import { CliFailure } from './failure.ts'
import { groupOf, nextWords, suggestionFor } from './program/words.ts'

/** Converts a Commander error to a failure with a suggestion, e.g. the nearest command. */
export function usageFailureOf(
  error: CommanderError,
  commands: readonly Pick<Command, 'name'>[],
  argv: readonly string[],
): CliFailure {
  const words = argv.filter((word) => !word.startsWith('-'))
  const group = groupOf(commands, words)
  const help = `See \`${['ratecard', ...group, '--help'].join(' ')}\`.`
  if (error.code === 'commander.unknownCommand' || error.code === 'commander.help') {
    const names = nextWords(commands, group)
    const word = /unknown command '(.+?)'/.exec(error.message)?.[1]
    const rest = word === undefined ? [] : words.slice(words.indexOf(word))
    const hint = word === undefined ? undefined : suggestionFor(commands, group, rest)
    const detail =
      word === undefined
        ? `\`ratecard ${group.join(' ')}\` needs one of: ${names.join(', ')}.`
        : `There is no command \`ratecard ${[...group, word].join(' ')}\`.`
    return usageProblem(detail, hint === undefined ? help : `${hint} ${help}`)
  }
  const [detail = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const suggestion = /Did you mean (.+)\?/.exec(rest.join(' '))?.[1]
  return usageProblem(asSentence(detail), suggestion === undefined ? help : `Did you mean "${suggestion}"? ${help}`)
}

function usageProblem(detail: string, hint: string): CliFailure {
  return new CliFailure(2, { code: 'usage', title: 'The command was not understood', detail, hint })
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`
}
