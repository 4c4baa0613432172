// Entry of the sandbox's worker thread. `thread.ts` starts it, checks that it is alive, and sends it `close`.
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from './clock.ts'
import type { FromThread, ThreadOptions, ToThread } from './messages.ts'
import { startSandbox } from './server.ts'
import { StateUnavailable } from './store/state-unavailable.ts'

const parent = parentPort
if (parent === null) throw new Error('This file must be started as a thread, by thread.ts')
const send = (message: FromThread): void => parent.postMessage(message)

// Only `thread.ts` starts this file, and it passes these options.
const { clockOf, ...options } = workerData as ThreadOptions
const moves = new Map<number, (nextStop: number | null) => void>()
let lastMove = 0
const onMoved = (aheadSeconds: number) =>
  new Promise<number | null>((resolve) => {
    const move = ++lastMove
    moves.set(move, resolve)
    send({ kind: 'moved', move, aheadSeconds })
  })

try {
  const sandbox = await startSandbox({
    ...options,
    clock: systemClock,
    ...(clockOf === undefined ? {} : { follower: { apiKey: clockOf, onMoved } }),
    log: (line) => send({ kind: 'log', line }),
  })
  parent.on('message', (message: ToThread) => {
    if (message.kind === 'alive?') send({ kind: 'alive' })
    else if (message.kind === 'followed') {
      moves.get(message.move)?.(message.nextStop)
      moves.delete(message.move)
    } else void sandbox.close().finally(() => parent.close())
  })
  send({ kind: 'listening', url: sandbox.url, port: sandbox.port })
} catch (error) {
  const { name, message, code } = error as NodeJS.ErrnoException
  const hint = error instanceof StateUnavailable ? error.hint : undefined
  send({ kind: 'failed', failure: { name, message, code, hint } })
  parent.close()
}
