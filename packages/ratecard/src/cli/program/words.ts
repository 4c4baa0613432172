// The words of a command line: what leads to a command, what was meant by one that is none, and the other ways to ask for help.
import { didYouMean } from '../../errors/suggest.ts'
import type { Command } from './command.ts'

type Named = Pick<Command, 'name'>

/** The words from the start that lead to a group or a command; values of options stand between them. */
export function groupOf(commands: readonly Named[], words: readonly string[]): string[] {
  const group: string[] = []
  for (const word of words) if (nextWords(commands, group).includes(word)) group.push(word)
  return group
}

/** What may follow a group. */
export function nextWords(commands: readonly Named[], group: readonly string[]): string[] {
  const next = commands
    .map(({ name }) => name.split(' '))
    .filter((words) => group.every((word, index) => words[index] === word))
    .map((words) => words[group.length])
  return [...new Set(next.filter((word) => word !== undefined))]
}

/** `help billing push`, `billing help` and `-V` in the words that everything else knows. */
export function withUsualWords(commands: readonly Named[], argv: readonly string[]): readonly string[] {
  if (argv.length === 1 && argv[0] === '-V') return ['--version']
  const at = argv.indexOf('help')
  if (at === -1) return argv
  const before = argv.slice(0, at)
  const leads = before.every((word, index) => nextWords(commands, before.slice(0, index)).includes(word))
  if (!leads || nextWords(commands, before).length === 0 || nextWords(commands, before).includes('help')) return argv
  const asked = [...before, ...argv.slice(at + 1)]
  // What leads nowhere is told as that, and not answered with the help of something else.
  const leadsOn = asked.every((word, index) => nextWords(commands, asked.slice(0, index)).includes(word))
  return leadsOn ? [...asked, '--help'] : asked
}

const mostSuggested = 4

/** What somebody may have meant with words that lead nowhere: full commands, else the nearest word of the group. */
export function suggestionFor(
  commands: readonly Named[],
  group: readonly string[],
  rest: readonly string[],
): string | undefined {
  const known = nextWords(commands, group)
  const near = didYouMean(rest[0] ?? '', known)
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

/** The command or group that ends with these words, when the command's name has them. */
function placeOf(words: readonly string[], sought: readonly string[]): string[] {
  for (let start = 1; start + sought.length <= words.length; start += 1)
    if (sought.every((word, index) => words[start + index] === word))
      return [words.slice(0, start + sought.length).join(' ')]
  return []
}
