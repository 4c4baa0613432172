import { Argument, Command as Commander, InvalidArgumentError, Option } from 'commander'
import { environmentPattern, type Command, type GlobalOptions, type OptionSpec, type OptionValues } from './command.ts'
import { groups } from './commands.ts'
import { globalOptions } from './global-options.ts'

export interface Invocation {
  readonly command: Command
  readonly args: readonly string[]
  readonly options: OptionValues
  readonly global: Omit<GlobalOptions, 'color'>
}

/** Builds the Commander program. It does not run a command: it calls `found` with the parsed command line. */
export function buildProgram(
  commands: readonly Command[],
  version: string,
  output: { readonly out: (text: string) => void },
  found: (invocation: Invocation) => void,
): Commander {
  const program = configureCommander(new Commander('ratecard'), output)
    .description('Billing configuration as code: plans, applies and serves your price list.')
    .version(version, '-v, --version', 'Print the version.')
    .helpOption('-h, --help', 'Show help.')
    .addHelpText(
      'after',
      '\nExit codes: 0 done · 1 refused, invalid or conflict · 2 usage · 3 changes (--exit-code) · 70 internal error or unreachable server',
    )
  for (const option of globalOptions) program.addOption(optionOf(option))
  for (const command of commands) addCommand(program, command, output, found)
  return program
}

function addCommand(
  program: Commander,
  spec: Command,
  output: Parameters<typeof buildProgram>[2],
  found: (invocation: Invocation) => void,
): void {
  const words = spec.name.split(' ')
  let parent = program
  words.slice(0, -1).forEach((word, index) => {
    const known = parent.commands.find((command) => command.name() === word)
    parent = known ?? addGroup(parent, word, words.slice(0, index + 1).join(' '), output)
  })
  const command = configureCommander(parent.command(words.at(-1) ?? ''), output)
    .summary(spec.summary)
    .description([`${spec.summary}.`, ...(spec.description === undefined ? [] : [spec.description])].join('\n\n'))
    .helpOption('-h, --help', 'Show help.')
  for (const { name, description } of spec.arguments ?? []) command.addArgument(new Argument(name, description))
  for (const option of spec.options ?? []) command.addOption(optionOf(option))
  const width = Math.max(...spec.examples.map((example) => example.command.length))
  const examples = spec.examples.map(({ command: line, what }) => `  $ ${line.padEnd(width)}  # ${what}`)
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`)
  command.action(() => {
    const { env, json, yes, quiet, debug, apiUrl, serviceKey } = program.opts<Record<string, unknown>>()
    found({
      command: spec,
      args: command.args,
      options: valuesOf(command.opts<Record<string, unknown>>()),
      global: {
        environment: typeof env === 'string' ? env : null,
        json: json === true,
        yes: yes === true,
        quiet: quiet === true,
        debug: debug === true,
        apiUrl: typeof apiUrl === 'string' ? apiUrl : null,
        serviceKey: typeof serviceKey === 'string' ? serviceKey : null,
      },
    })
  })
}

function addGroup(
  parent: Commander,
  word: string,
  name: string,
  output: Parameters<typeof buildProgram>[2],
): Commander {
  return configureCommander(parent.command(word), output)
    .description(groups[name] ?? name)
    .helpOption('-h, --help', 'Show help.')
}

function configureCommander(command: Commander, output: Parameters<typeof buildProgram>[2]): Commander {
  return command
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: () => undefined })
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .helpCommand(false)
    .allowExcessArguments(false)
}

function optionOf(spec: OptionSpec): Option {
  const text = spec.defaultText === undefined ? spec.description : `${spec.description} (default: ${spec.defaultText})`
  const option = new Option(spec.flags, text)
  if (spec.choices !== undefined) option.choices([...spec.choices])
  if (spec.environment === true)
    option.argParser((value: string) => {
      if (environmentPattern.test(value)) return value
      throw new InvalidArgumentError(
        'A name is a lower-case letter, followed by up to 30 lower-case letters, digits or "-".',
      )
    })
  const { range } = spec
  if (range !== undefined)
    option.argParser((value: string) => {
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
      if (number >= range[0] && number <= range[1]) return number
      throw new InvalidArgumentError(`It is a whole number from ${range[0]} to ${range[1]}.`)
    })
  return option
}

function valuesOf(values: Readonly<Record<string, unknown>>): OptionValues {
  return {
    flag: (name) => values[name] === true,
    text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    whole: (name) => (typeof values[name] === 'number' ? values[name] : undefined),
    list: (name) => {
      const list = values[name]
      return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : []
    },
  }
}
