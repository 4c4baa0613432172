// The command line: words in, one exit code out. It decides nothing about billing; it reads files, asks the server and shows.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import process from 'node:process'
import { CommanderError } from 'commander'
import { commands } from './program/commands.ts'
import { CliFailure, toFailure } from './failure.ts'
import type { ExitCode } from './failure.ts'
import { processIo } from './terminal/io.ts'
import type { CliIo } from './terminal/io.ts'
import { createOutput, wantsColor } from './terminal/output.ts'
import type { Output } from './terminal/output.ts'
import { buildProgram } from './program/program.ts'
import type { Invocation } from './program/program.ts'
import { serverAddress } from './server-address.ts'
import { groupOf, nextWords, suggestionFor, withUsualWords } from './program/words.ts'
import { terminalIo } from './terminal/terminal-text.ts'
import { jsonProblem } from './views/json.ts'
import { showFailure } from './views/problem.ts'

/** Runs one command line (without `node` and the script). Never throws and never ends the process. */
export async function main(words: readonly string[], given: CliIo): Promise<ExitCode> {
  const argv = withUsualWords(commands, words)
  const io = terminalIo(given)
  const color = wantsColor(io, argv)
  let out = createOutput(io, { json: argv.includes('--json'), quiet: argv.includes('--quiet'), color })
  let invocation: Invocation | null = null
  try {
    invocation = parse(argv, io)
    if (invocation === null) return 0
    out = createOutput(io, { ...invocation.global, color })
    const { command, global, ...rest } = invocation
    const result = await command.run({ ...rest, global: { ...global, color }, io, out })
    if (global.json && result.json !== undefined) io.stdout.write(`${JSON.stringify(result.json, null, 2)}\n`)
    return result.exit ?? 0
  } catch (error) {
    return fail(error, invocation, argv, io, out)
  }
}

function fail(
  error: unknown,
  invocation: Invocation | null,
  argv: readonly string[],
  io: CliIo,
  out: Output,
): ExitCode {
  out.endProgress()
  if (io.signal.aborted) {
    io.stderr.write('Stopped.\n')
    return 1
  }
  const failure = toFailure(error, { apiUrl: invocation === null ? undefined : addressOf(invocation, io) })
  const json = invocation?.global.json ?? argv.includes('--json')
  if (json) io.stdout.write(`${JSON.stringify(jsonProblem(failure.problem), null, 2)}\n`)
  else io.stderr.write(`${showFailure(failure, out.paint)}\n`)
  return failure.exit
}

/** For the hint only: a failure to find the address must not hide the failure that is being told. */
function addressOf({ global }: Invocation, io: CliIo): string | undefined {
  try {
    return serverAddress({ io, global: { ...global, color: false } }).url
  } catch {
    return undefined
  }
}

/** null when help or the version was asked for, and shown. */
function parse(argv: readonly string[], io: CliIo): Invocation | null {
  let invocation: Invocation | null = null
  const program = buildProgram(commands, version(), { out: (text) => io.stdout.write(text) }, (found) => {
    invocation = found
  })
  if (argv.length === 0) {
    io.stdout.write(program.helpInformation())
    return null
  }
  try {
    program.parse([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return null
    throw usage(error, argv)
  }
  return invocation
}

function usage(error: CommanderError, argv: readonly string[]): CliFailure {
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
  return usageProblem(sentence(detail), suggestion === undefined ? help : `Did you mean "${suggestion}"? ${help}`)
}

function usageProblem(detail: string, hint: string): CliFailure {
  return new CliFailure(2, { code: 'usage', title: 'The command was not understood', detail, hint })
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}

/** The process itself: signals stop what runs; a second one ends it at once. */
export async function runProcess(): Promise<void> {
  const stopping = new AbortController()
  let askedAt = 0
  const stop = () => {
    // Ctrl-C under `npm start` arrives twice at once, from the terminal and from npm: that is one wish, not two.
    if (stopping.signal.aborted && performance.now() - askedAt > 1_000) process.exit(130)
    if (stopping.signal.aborted) return
    askedAt = performance.now()
    stopping.abort()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  // A reader such as `head` may leave early; that is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  const code = await main(process.argv.slice(2), processIo(process, homedir(), stopping.signal))
  process.exitCode = code
}
