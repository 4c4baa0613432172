import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** CPU time so far, in microseconds. */
  cpuMicroseconds(): Promise<number>
  /** Peak memory so far, in bytes. */
  peakBytes(): Promise<number>
  /** Memory after a garbage collection, in bytes. The process was started with `--expose-gc`. */
  heldBytes(): Promise<number>
  stop(): Promise<void>
}

/**
 * Starts `serve.ts` in a separate process and waits until it listens. `settings` are variables of the service, in addition to those
 * common to all benchmarks.
 */
export async function startProcess(
  kind: 'service' | 'unpaced' | 'host' | 'sandbox' | 'bare' | 'proxy',
  argument: string,
  settings: Readonly<Record<string, string>> = {},
  execArgv: readonly string[] = [],
): Promise<ServerProcess> {
  const child = fork(fileURLToPath(new URL('serve.ts', import.meta.url)), [kind, argument, JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...execArgv],
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
  const ask = async (what: 'cpu' | 'memory' | 'held') => {
    const answer = nextMessage()
    child.send(what)
    return Number(await answer)
  }
  const url = await nextMessage()
  return {
    url,
    pid: child.pid ?? 0,
    cpuMicroseconds: () => ask('cpu'),
    peakBytes: () => ask('memory'),
    heldBytes: () => ask('held'),
    stop: () => {
      child.kill()
      return ended
    },
  }
}
