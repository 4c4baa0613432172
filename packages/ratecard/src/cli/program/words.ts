// Handles the words of a command line: finds the command, suggests one for unknown words, and accepts other forms of help.
import { didYouMean } from '../../base/errors/suggest.ts'
import type { Command } from './command.ts'

type Named = Pick<Command, 'name'>

/**
 * Returns the words of a command line that form the name of a group or command. Options and their values between these words are skipped.
 */
export function groupOf(commands: readonly Named[], words: readonly string[]): string[] {
  const group: string[] = []
  for (const word of words) if (nextWords(commands, group).includes(word)) group.push(word)
  return group
}

/** Returns the words that may follow a group. */
export function nextWords(commands: readonly Named[], group: readonly string[]): string[] {
  const next = commands
    .map(({ name }) => name.split(' '))
    .filter((words) => group.every((word, index) => words[index] === word))
    .map((words) => words[group.length])
  return [...new Set(next.filter((word) => word !== undefined))]
}

/** Rewrites `help billing push`, `billing help` and `-V` to `--help` and `--version`. */
export function withUsualWords(commands: readonly Named[], argv: readonly string[]): readonly string[] {
  if (argv.length === 1 && argv[0] === '-V') return ['--version']
  const at = argv.indexOf('help')
  if (at === -1) return argv
  const before = argv.slice(0, at)
  const leads = before.every((word, index) => nextWords(commands, before.slice(0, index)).includes(word))
  if (!leads || nextWords(commands, before).length === 0 || nextWords(commands, before).includes('help')) return argv
  const asked = [...before, ...argv.slice(at + 1)]
  // An unknown command is left unchanged, so that an error is reported. Otherwise the help of another command would be shown.
  const leadsOn = asked.every((word, index) => nextWords(commands, asked.slice(0, index)).includes(word))
  return leadsOn ? [...asked, '--help'] : asked
}

const mostSuggested = 4

/**
 * Suggests a command in place of an unknown one. It is the command with the most similar word in the group, otherwise full commands that
 * contain the given words.
 */
export function suggestionFor(
  commands: readonly Named[],
  group: readonly string[],
  rest: readonly string[],
): string | undefined {
  const known = nextWords(commands, group)
  const near = didYouMean(rest[0] ?? '', known, true)
  if (near !== undefined) return near
  for (let length = rest.length; length > 0; length -= 1) {
    const sought = rest.slice(0, length)
    const places = commands.flatMap(({ name }) => placeOf(name.split(' '), sought))
    const meant = [...new Set(places)]
    if (meant.length === 0) continue
    const shown = meant.slice(0, mostSuggested).map((name) => `\`ratecard ${name}\``)
    const last = shown.pop() ?? ''
    const list = shown.length === 0 ? last : `${shown.join(', ')} or ${last}`
    return `Did you mean ${list}${meant.length > mostSuggested ? ', or another' : ''}?`
  }
  return undefined
}

/** Returns the beginning of the command name `words` that ends with the words `sought`. Empty if `words` does not contain them. */
function placeOf(words: readonly string[], sought: readonly string[]): string[] {
  for (let start = 1; start + sought.length <= words.length; start += 1)
    if (sought.every((word, index) => words[start + index] === word))
      return [words.slice(0, start + sought.length).join(' ')]
  return []
}
