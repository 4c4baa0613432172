// What `import 'ratecard'` gives. Its types name nothing else of the product, because an installation has no sources.
import { startServer as start } from './composition/main.ts'

export interface ServerOptions {
  /** The settings, as environment variables. Default: none, so that nothing of the process's own environment is taken by chance. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** 0 picks a free one. */
  readonly port?: number
  readonly dataDir?: string
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal
  /** Gets what the command line would print once the server listens. */
  readonly out?: (text: string) => void
}

export interface Server {
  readonly url: string
  /** null where the processor is not the sandbox. */
  readonly sandboxUrl: string | null
  /** Lets what runs end, for at most ten seconds. */
  close(): Promise<void>
}

/** The service, as `ratecard server start` starts it. Throws an Error whose message says what is wrong and what to do. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { env = {}, port, dataDir, signal, out = () => undefined } = options
  const running = await start({ env, port, dataDir, signal, out, showKey: false })
  return { url: running.url, sandboxUrl: running.sandboxUrl, close: () => running.close() }
}
