// Reports the failure of a command line.
import { toFailure, type ExitCode } from './failure.ts'
import type { CliIo } from './terminal/io.ts'
import type { Output } from './terminal/output.ts'
import type { Invocation } from './program/program.ts'
import { serverAddress } from './server-address.ts'
import { jsonProblem } from './views/json-problem.ts'
import { showFailure } from './views/problem.ts'

export interface FailureReport {
  /** The parsed command line; null if it could not be parsed. */
  readonly invocation: Invocation | null
  readonly argv: readonly string[]
  readonly io: CliIo
  readonly out: Output
}

/** Prints the error, as text or JSON, and returns the exit code. */
export function fail(error: unknown, { invocation, argv, io, out }: FailureReport): ExitCode {
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

/**
 * Returns the server address, to show it in the hint of an error. Errors while determining the address are ignored, because they must not
 * hide the original error.
 */
function addressOf({ global }: Invocation, io: CliIo): string | undefined {
  try {
    return serverAddress({ io, global: { ...global, color: false } }).url
  } catch {
    return undefined
  }
}
