import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface ServerProcess {
  readonly url: string
  /** CPU time used so far. */
  cpuMicroseconds(): Promise<number>
  stop(): Promise<void>
}

/** Starts `serve.ts` in a process of its own and waits until it listens. */
export async function startProcess(kind: 'service' | 'sandbox' | 'bare', argument: string): Promise<ServerProcess> {
  const child = fork(fileURLToPath(new URL('serve.ts', import.meta.url)), [kind, argument], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const nextMessage = () =>
    new Promise<string>((resolve, reject) => {
      const lost = () => reject(new Error(`The ${kind} server ended`))
      child.once('exit', lost)
      child.once('message', (message) => {
        child.off('exit', lost)
        if (typeof message === 'string') resolve(message)
        else reject(new Error('serve.ts sends text'))
      })
    })
  const url = await nextMessage()
  return {
    url,
    cpuMicroseconds: async () => {
      const answer = nextMessage()
      child.send('cpu')
      return Number(await answer)
    },
    stop: () => {
      child.kill()
      return ended
    },
  }
}
