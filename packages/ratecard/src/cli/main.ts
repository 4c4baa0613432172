// Entry point of the CLI: takes arguments and returns the exit code. Contains no billing logic: commands read files, call the server and
// print.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import process from 'node:process'
import { CommanderError } from 'commander'
import type { Command } from './program/command.ts'
import { commands } from './program/commands.ts'
import type { ExitCode } from './failure.ts'
import { processIo, type CliIo } from './terminal/io.ts'
import { createOutput, wantsColor } from './terminal/output.ts'
import { buildProgram, type Invocation } from './program/program.ts'
import { withUsualWords } from './program/words.ts'
import { terminalIo } from './terminal/terminal-text.ts'

/** Runs one command line (without `node` and the script) and returns its exit code. Never throws, and never ends the process. */
export async function main(words: readonly string[], given: CliIo): Promise<ExitCode> {
  const argv = withUsualWords(commands, words)
  const io = terminalIo(given)
  const color = wantsColor(io, argv)
  let out = createOutput(io, { json: argv.includes('--json'), quiet: argv.includes('--quiet'), color })
  let invocation: Invocation | null = null
  try {
    invocation = await parse(argv, io)
    if (invocation === null) return 0
    out = createOutput(io, { ...invocation.global, color })
    const { command, global, ...rest } = invocation
    const result = await command.run({ ...rest, global: { ...global, color }, io, out })
    if (global.json && result.json !== undefined) io.stdout.write(`${JSON.stringify(result.json, null, 2)}\n`)
    return result.exit ?? 0
  } catch (error) {
    // The module is imported here, because only a failure needs it.
    const { fail } = await import('./fail.ts')
    return fail(error, { invocation, argv, io, out })
  }
}

/**
 * Returns the commands whose first word is `argv[0]`, or all commands if there are none. Only the returned commands are built, because
 * building a command in Commander takes time.
 */
function commandsOfWord(argv: readonly string[]): readonly Command[] {
  const found = commands.filter(({ name }) => name.split(' ')[0] === argv[0])
  return found.length === 0 ? commands : found
}

/** Parses the command line. Returns null if it requested help or the version, which this function then prints. */
async function parse(argv: readonly string[], io: CliIo): Promise<Invocation | null> {
  let invocation: Invocation | null = null
  const program = buildProgram(
    commandsOfWord(argv),
    packageVersion(),
    { out: (text) => io.stdout.write(text) },
    (found) => {
      invocation = found
    },
  )
  if (argv.length === 0) {
    io.stdout.write(program.helpInformation())
    return null
  }
  try {
    program.parse([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return null
    const { usageFailureOf: usage } = await import('./usage.ts')
    throw usage(error, commands, argv)
  }
  return invocation
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}

/** Runs the CLI as a process. The first stop signal stops the command; a second one exits at once. */
export async function runProcess(): Promise<void> {
  const stopping = new AbortController()
  let askedAt = 0
  const stop = () => {
    // Under `npm start` one Ctrl-C arrives twice, from the terminal and from npm. So a second signal within 1 s is ignored.
    if (stopping.signal.aborted && performance.now() - askedAt > 1_000) process.exit(130)
    if (stopping.signal.aborted) return
    askedAt = performance.now()
    stopping.abort()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  // A program that reads our output (e.g. `head`) may close the pipe early. The work may be incomplete then, so the exit code is that of
  // SIGPIPE (141).
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(141)
    throw error
  })
  const code = await main(process.argv.slice(2), processIo(process, homedir(), stopping.signal))
  process.exitCode = code
}
