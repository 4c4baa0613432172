// Generates completion scripts for shells from the command table. At run time the scripts read only the names of environment files.
import type { Command, OptionSpec } from './command.ts'
import { nextWords } from './words.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** A node of the command tree: the words that lead to it, and the words that may follow. */
interface Node {
  readonly path: string
  readonly words: readonly { readonly word: string; readonly about: string }[]
  readonly options: readonly OptionSpec[]
}

export function completionScript(
  shell: Shell,
  commands: readonly Command[],
  groups: Readonly<Record<string, string>>,
  global: readonly OptionSpec[],
): string {
  const nodes = nodesOf(commands, groups)
  if (shell === 'fish') return fishScript(nodes, global)
  return shell === 'bash' ? bashScript(nodes, global) : zshScript(nodes, global)
}

function nodesOf(commands: readonly Command[], groups: Readonly<Record<string, string>>): Node[] {
  const paths = new Set(['', ...commands.flatMap(({ name }) => prefixesOf(name.split(' ')))])
  return [...paths].map((path) => {
    const group = path === '' ? [] : path.split(' ')
    const words = nextWords(commands, group).map((word) => {
      const name = [...group, word].join(' ')
      return { word, about: commands.find((command) => command.name === name)?.summary ?? groups[name] ?? '' }
    })
    return { path, words, options: commands.find((command) => command.name === path)?.options ?? [] }
  })
}

const prefixesOf = (words: readonly string[]) => words.map((_, index) => words.slice(0, index + 1).join(' '))

/** Returns the long flag without its value: `--plan <file>` → `--plan`. Short flags are not completed. */
const longFlag = ({ flags }: OptionSpec) => /--[a-z-]+/.exec(flags)?.[0] ?? ''
const valueOf = ({ flags }: OptionSpec) => /[<[]([a-z-]+)/.exec(flags)?.[1] ?? null
const takesFile = (option: OptionSpec) => ['file', 'path', 'dir'].includes(valueOf(option) ?? '')

const environmentNames = `for file in ratecard/environments/.env.*; do
    name=\${file##*/.env.}; name=\${name%.example}
    [ -e "$file" ] && printf '%s\\n' "$name"
  done | sort -u`

function bashScript(nodes: readonly Node[], global: readonly OptionSpec[]): string {
  const options = [...global, ...nodes.flatMap((node) => node.options)]
  const withChoices = uniqueBy(
    options.filter(({ choices }) => choices !== undefined),
    longFlag,
  )
  const files = uniqueBy(options.filter(takesFile), longFlag)
  const values = uniqueBy(
    options.filter((option) => valueOf(option) !== null),
    longFlag,
  )
  return `# Completion of ratecard for bash: source <(ratecard completion bash)
_ratecard_environments() {
  local file name
  ${environmentNames}
}
_ratecard() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' word index words='' flags=''
  COMPREPLY=()
  case "$previous" in
    ${uniqueBy(
      options.filter(({ environment }) => environment === true),
      longFlag,
    )
      .map(longFlag)
      .join('|')}) COMPREPLY=($(compgen -W "$(_ratecard_environments)" -- "$current")); return;;
${withChoices.map((option) => `    ${longFlag(option)}) COMPREPLY=($(compgen -W '${(option.choices ?? []).join(' ')}' -- "$current")); return;;`).join('\n')}
    ${files.map(longFlag).join('|')}) COMPREPLY=($(compgen -f -- "$current")); return;;
    ${values.map(longFlag).join('|')}) return;;
  esac
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$path\${path:+ }$word" in
      ${nodes
        .filter(({ path }) => path !== '')
        .map(({ path }) => quote(path))
        .join('|')}) path="$path\${path:+ }$word";;
    esac
  done
  flags='${global.map(longFlag).join(' ')} --help'
  case "$path" in
${nodes.map((node) => `    ${quote(node.path)}) words='${node.words.map(({ word }) => word).join(' ')}'${node.options.length === 0 ? '' : ` flags="$flags ${node.options.map(longFlag).join(' ')}"`};;`).join('\n')}
  esac
  if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n "$words" ]]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -o bashdefault -F _ratecard ratecard
`
}

/** Returns the script for zsh: the bash script, because zsh can run bash completions. */
function zshScript(nodes: readonly Node[], global: readonly OptionSpec[]): string {
  return `# Completion of ratecard for zsh: source <(ratecard completion zsh)
autoload -U +X compinit && compinit -u
autoload -U +X bashcompinit && bashcompinit
${bashScript(nodes, global).split('\n').slice(1).join('\n')}`
}

function fishScript(nodes: readonly Node[], global: readonly OptionSpec[]): string {
  const at = (path: string) => `-n '${`__ratecard_at ${path}`.trimEnd()}'`
  const lines = nodes.flatMap(({ path, words, options }) => [
    ...words.map(({ word, about }) => `complete -c ratecard -f ${at(path)} -a ${word} -d ${quote(about)}`),
    ...options.map((option) => `complete -c ratecard ${at(path)} ${fishOption(option)}`),
  ])
  return `# Completion of ratecard for fish: ratecard completion fish | source
function __ratecard_at
  set -l words (commandline -opc)[2..-1]
  set -l path
  for word in $words
    contains -- (string join ' ' $path $word) ${nodes
      .filter(({ path }) => path !== '')
      .map(({ path }) => quote(path))
      .join(' ')}
    and set -a path $word
  end
  test (string join ' ' $path) = (string join ' ' $argv)
end
${global.map((option) => `complete -c ratecard ${fishOption(option)}`).join('\n')}
${lines.join('\n')}
`
}

function fishOption(option: OptionSpec): string {
  const name = `-l ${longFlag(option).slice(2)} -d ${quote(option.description)}`
  if (option.environment === true)
    return `${name} -x -a "(string replace -r '.*/[.]env[.]' '' ratecard/environments/.env.* | string replace -r '[.]example$' '' | sort -u)"`
  if (option.choices !== undefined) return `${name} -x -a ${quote(option.choices.join(' '))}`
  if (takesFile(option)) return `${name} -r`
  return valueOf(option) === null ? name : `${name} -x`
}

/** Quotes a text for a shell with single quotes. A quote inside becomes `’`, because shells differ in escaping it. */
const quote = (text: string) => `'${text.replaceAll("'", '’')}'`

function uniqueBy<T>(items: readonly T[], by: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [by(item), item])).values()]
}
