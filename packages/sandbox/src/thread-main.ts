// Entry of the sandbox's worker thread. `thread.ts` starts it, checks that it is alive, and sends it `close`.
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from './clock.ts'
import type { FromThread, ThreadOptions, ToThread } from './messages.ts'
import { startSandbox } from './server.ts'
import { StateUnavailable } from './store/state-unavailable.ts'

const parent = parentPort
if (parent === null) throw new Error('This file must be started as a thread, by thread.ts')
const send = (message: FromThread): void => parent.postMessage(message)

try {
  const sandbox = await startSandbox({
    // Only `thread.ts` starts this file, and it passes these options.
    ...(workerData as ThreadOptions),
    clock: systemClock,
    log: (line) => send({ kind: 'log', line }),
  })
  parent.on('message', (message: ToThread) => {
    if (message.kind === 'alive?') send({ kind: 'alive' })
    else void sandbox.close().finally(() => parent.close())
  })
  send({ kind: 'listening', url: sandbox.url, port: sandbox.port })
} catch (error) {
  const { name, message, code } = error as NodeJS.ErrnoException
  const hint = error instanceof StateUnavailable ? error.hint : undefined
  send({ kind: 'failed', failure: { name, message, code, hint } })
  parent.close()
}
