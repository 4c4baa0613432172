// Errors that no code caught. The process cannot know what they left half done, so it ends in order and a supervisor starts it
// again: the listener closes, leases are given back, processes of workers end.
import process from 'node:process'
import { createLog } from './log.ts'

/** EX_SOFTWARE of sysexits.h. */
export const escapedExitCode = 70
/** Maximum time (ms) for the orderly end. Afterwards the process ends all the same; its leases then run out by themselves. */
const closeMs = 15_000

export interface EscapeOptions {
  /** Values of its secrets are in no line of the log. */
  readonly env: NodeJS.ProcessEnv
  readonly logForPeople?: ((text: string) => string) | undefined
}

export interface EscapeWatch {
  /** The way to end what was started since. */
  closeWith(close: () => Promise<void>): void
  stop(): void
}

/** From now on an uncaught exception or an unhandled rejection ends the process with 70. */
export function watchEscapes({ env, logForPeople }: EscapeOptions): EscapeWatch {
  // The errors are described below: pino's own form of them has every property.
  const log = createLog('fatal', logForPeople ?? null).child({}, { serializers: { err: (error: unknown) => error } })
  const redact = redactor(env)
  let close = (): Promise<void> => Promise.resolve()
  let ending = false
  const onEscape = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin): void => {
    log.fatal(
      { err: describe(error, redact), origin, exit_code: escapedExitCode },
      'an error was not caught: the service ends',
    )
    if (ending) return
    ending = true
    const end = (): never => process.exit(escapedExitCode)
    setTimeout(end, closeMs)
    close().then(end, (problem: unknown) => {
      log.fatal({ err: describe(problem, redact) }, 'the service did not end in order')
      end()
    })
  }
  process.on('uncaughtException', onEscape)
  return {
    closeWith(given) {
      close = given
    },
    stop() {
      process.off('uncaughtException', onEscape)
    },
  }
}

/** Message and trace alone: other properties of an error may hold anything, e.g. the headers of a request. */
function describe(error: unknown, redact: (text: string) => string) {
  if (!(error instanceof Error)) return { type: typeof error, message: redact(String(error)), stack: '' }
  const cause = error.cause instanceof Error ? `\ncaused by: ${error.cause.stack ?? error.cause.message}` : ''
  return { type: error.name, message: redact(error.message), stack: redact(`${error.stack ?? ''}${cause}`) }
}

const secretName = /KEY|SECRET|PASSWORD|TOKEN|DATABASE_URL/
/** Shorter values would take ordinary words out of the text. */
const shortestSecret = 8

function redactor(env: NodeJS.ProcessEnv): (text: string) => string {
  const secrets = Object.entries(env).filter(
    (entry): entry is [string, string] => secretName.test(entry[0]) && (entry[1] ?? '').length >= shortestSecret,
  )
  return (text) => {
    let clean = text
    for (const [name, value] of secrets) clean = clean.replaceAll(value, `[${name}]`)
    return clean
      .replaceAll(/\b(?:(?:sk|rk)_(?:live|test)|whsec|rck)_[\w-]{8,}/g, '[key]')
      .replaceAll(/(\/\/[^/\s:@]*):[^/\s@]+@/g, '$1:[password]@')
  }
}
