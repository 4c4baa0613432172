import type { Command, OptionSpec } from '../../packages/ratecard/src/cli/program/command.ts'
import { commands, groups } from '../../packages/ratecard/src/cli/program/commands.ts'
import { globalOptions } from '../../packages/ratecard/src/cli/program/global-options.ts'
import { code, describedTable, page, table, type Described } from './markdown.ts'

const intro = `Exit codes: \`0\` done, \`1\` refused, invalid or conflict, \`2\` usage, \`3\` changes or drift present (with \`--exit-code\`), \`141\` the program that reads the output closed the pipe before the end, \`70\` internal error
or unreachable server. Results go to stdout, everything else to stderr.`

function describedOption({ flags, description, choices, range, defaultText }: OptionSpec): Described {
  const allowed =
    choices?.map(code).join(', ') ?? (range === undefined ? '' : `${range[0].toString()} to ${range[1].toString()}`)
  return {
    name: flags,
    meaning: description,
    value: [defaultText === undefined ? '' : `default ${defaultText}`, allowed],
  }
}

const optionTable = (options: readonly OptionSpec[]) =>
  describedTable(['Option', 'Value'], options.map(describedOption))

function commandBlocks(command: Command): string[] {
  const words = [`ratecard ${command.name}`, ...(command.arguments ?? []).map(({ name }) => name)]
  return [
    `## ${command.name}`,
    `\`${words.join(' ')}\`: ${command.summary}.`,
    ...(command.description === undefined ? [] : [command.description]),
    ...(command.arguments === undefined
      ? []
      : [
          table(
            ['Argument', 'Meaning'],
            command.arguments.map(({ name, description }) => [code(name), description]),
          ),
        ]),
    ...(command.options === undefined ? [] : [optionTable(command.options)]),
    ...(command.examples.length === 0
      ? []
      : [
          `\`\`\`sh\n${command.examples.map((example) => `${example.command}   # ${example.what}`).join('\n')}\n\`\`\``,
        ]),
  ]
}

export function cliPage(): string {
  const groupRows = Object.entries(groups).map(([name, meaning]) => [code(`ratecard ${name}`), meaning])
  return page('Commands', 'packages/ratecard/src/cli', [
    intro,
    table(['Group', 'Purpose'], groupRows),
    '## Options of every command',
    optionTable(globalOptions),
    ...commands.flatMap(commandBlocks),
  ])
}
