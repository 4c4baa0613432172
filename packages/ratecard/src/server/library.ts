// The public API of `import 'ratecard'`. The types in this file must not refer to types of other files, because an installed package
// contains no source files.
import { startServer as start } from './composition/main.ts'

export interface ServerOptions {
  /**
   * Settings, by the names of the environment variables. Default: none. The variables of the process are not used, to avoid using them by
   * accident.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Port of the server; 0 picks a free port. */
  readonly port?: number
  readonly dataDir?: string
  /** The server closes when this signal aborts. */
  readonly signal?: AbortSignal
  /** Receives the lines that the CLI prints when the server listens. */
  readonly out?: (text: string) => void
}

export interface Server {
  readonly url: string
  /** URL of the sandbox; null if the processor is not the sandbox. */
  readonly sandboxUrl: string | null
  /** Lets running work finish for at most ten seconds, then closes the server. */
  close(): Promise<void>
}

/** Starts the service like `ratecard server start`. Throws an Error whose message contains the cause and the next step. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { env = {}, port, dataDir, signal, out = () => undefined } = options
  const running = await start({ env, port, dataDir, signal, out, showKey: false })
  return { url: running.url, sandboxUrl: running.sandboxUrl, close: () => running.close() }
}
