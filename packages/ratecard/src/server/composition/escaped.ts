// Handles uncaught errors. They may leave any state half changed. So the process shuts down in order (closes the listener, releases leases,
// ends worker processes), and its supervisor restarts it.
import process from 'node:process'
import { createLog } from './log.ts'

/** Exit code after an uncaught error: EX_SOFTWARE of sysexits.h. */
export const escapedExitCode = 70
/** Maximum time (ms) of the orderly shutdown. After it the process exits anyway, and its leases expire. */
const closeMs = 15_000

export interface EscapeOptions {
  /** Environment variables. The values of the secrets among them are redacted from the log. */
  readonly env: NodeJS.ProcessEnv
  readonly logForPeople?: ((text: string) => string) | undefined
}

export interface EscapeWatch {
  /** Sets the function that shuts down everything started so far. */
  closeWith(close: () => Promise<void>): void
  stop(): void
}

/** Installs a handler that logs an uncaught exception or unhandled rejection, shuts down, and exits with code 70. */
export function watchEscapes({ env, logForPeople }: EscapeOptions): EscapeWatch {
  // The function `describe` serializes errors, because pino's own serializer would include all properties of an error.
  const log = createLog('fatal', logForPeople ?? null).child({}, { serializers: { err: (error: unknown) => error } })
  const redact = createRedactor(env)
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

/** Serializes only the message and stack trace of an error, because other properties may contain secrets, e.g. request headers. */
function describe(error: unknown, redact: (text: string) => string) {
  if (!(error instanceof Error)) return { type: typeof error, message: redact(String(error)), stack: '' }
  const cause = error.cause instanceof Error ? `\ncaused by: ${error.cause.stack ?? error.cause.message}` : ''
  return { type: error.name, message: redact(error.message), stack: redact(`${error.stack ?? ''}${cause}`) }
}

const secretName = /KEY|SECRET|PASSWORD|TOKEN|DATABASE_URL/
/** Minimum length of a redacted value; shorter values would also match ordinary words. */
const minSecretLength = 8

function createRedactor(env: NodeJS.ProcessEnv): (text: string) => string {
  const secrets = Object.entries(env).filter(
    (entry): entry is [string, string] => secretName.test(entry[0]) && (entry[1] ?? '').length >= minSecretLength,
  )
  return (text) => {
    let clean = text
    for (const [name, value] of secrets) clean = clean.replaceAll(value, `[${name}]`)
    return clean
      .replaceAll(/\b(?:(?:sk|rk)_(?:live|test)|whsec|rck)_[\w-]{8,}/g, '[key]')
      .replaceAll(/(\/\/[^/\s:@]*):[^/\s@]+@/g, '$1:[password]@')
  }
}
