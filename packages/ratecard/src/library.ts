// The public API of `import 'ratecard'`. Its types refer to no other module, because an installation contains no sources.
import { startServer as start } from './composition/main.ts'

export interface ServerOptions {
  /** Settings as environment variables. Default: none, so that variables of the process are not used by accident. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Port of the server; 0 picks a free one. */
  readonly port?: number
  readonly dataDir?: string
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal
  /** Receives the lines that the CLI prints once the server is listening. */
  readonly out?: (text: string) => void
}

export interface Server {
  readonly url: string
  /** null if the processor is not the sandbox. */
  readonly sandboxUrl: string | null
  /** Drains running work for at most ten seconds, then closes. */
  close(): Promise<void>
}

/** Starts the service like `ratecard server start`. Throws an Error whose message contains the cause and the next step. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { env = {}, port, dataDir, signal, out = () => undefined } = options
  const running = await start({ env, port, dataDir, signal, out, showKey: false })
  return { url: running.url, sandboxUrl: running.sandboxUrl, close: () => running.close() }
}
