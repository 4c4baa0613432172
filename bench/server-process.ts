import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface ServerProcess {
  readonly url: string
  stop(): Promise<void>
}

/** Starts `serve.ts` in a process of its own and waits until it listens. */
export async function startProcess(kind: 'service' | 'sandbox' | 'bare', argument: string): Promise<ServerProcess> {
  const child = fork(fileURLToPath(new URL('serve.ts', import.meta.url)), [kind, argument], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => {
      if (typeof message === 'string') resolve(message)
      else reject(new Error('serve.ts sends its address'))
    })
    child.once('exit', (code) => reject(new Error(`The ${kind} server ended with ${String(code)}`)))
  })
  return {
    url,
    stop: () => {
      child.kill()
      return ended
    },
  }
}
