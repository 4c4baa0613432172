// Checks, plans and compares large documents in a worker thread, because each of these looks at a whole document at once, and other
// requests go on meanwhile. The thread starts with the first large document and ends when it had nothing to do for five seconds, so
// that an idle service does not pay for it. There is one thread: tasks queue. If it dies, its tasks fail and the next starts another.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { documentTasks } from '../catalog/document-tasks.ts'
import type { Documents } from '../catalog/document-tasks.ts'
import { Assembly, piecesOf, sizeOf } from './message-pieces.ts'
import type { Piece } from './message-pieces.ts'

export interface ThreadRequest {
  readonly id: number
  readonly task: keyof typeof documentTasks
  /** Carries the pieces of the input, then those of the result; null follows the last one. */
  readonly port: MessagePort
}

export interface ThreadReply {
  readonly id: number
  readonly error?: string
}

/** Up to this size (about 65 products of five prices) a task runs at once: it takes a few milliseconds, a message to the thread as many. */
const mainThreadMaxCharacters = 64 * 1024
const idleMs = 5_000

interface Pending {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly pending: Map<number, Pending>
}

/** `close` ends the thread; its unfinished tasks fail. */
export function createDocuments(): Documents & { close(): Promise<void> } {
  let thread: Thread | undefined
  let idle: NodeJS.Timeout | undefined
  let count = 0

  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    await ending?.worker.terminate()
  }

  const start = (): Thread => {
    const body = new URL(`./document-thread-main.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url)
    const worker = new Worker(body, { execArgv: [] })
    const started: Thread = { worker, pending: new Map() }
    worker.unref()
    worker.on('message', ({ id, error }: ThreadReply) => {
      const task = started.pending.get(id)
      if (error === undefined) task?.resolve()
      else task?.reject(new Error(error))
    })
    let cause: unknown
    worker.on('error', (error: unknown) => {
      cause = error
    })
    worker.on('exit', () => {
      if (thread === started) thread = undefined
      const lost = new Error('The thread for large documents ended.', { cause })
      for (const { reject } of started.pending.values()) reject(lost)
    })
    return started
  }

  const runInThread = async (task: ThreadRequest['task'], input: unknown): Promise<unknown> => {
    clearTimeout(idle)
    const { worker, pending } = (thread ??= start())
    // A process must not end while a result is due.
    worker.ref()
    const id = ++count
    const { port1: ours, port2: port } = new MessageChannel()
    try {
      const done = new Promise<void>((resolve, reject) => {
        pending.set(id, { resolve, reject })
      })
      worker.postMessage({ id, task, port } satisfies ThreadRequest, [port])
      await Promise.all([send(ours, input), done])
      return await receive(ours)
    } finally {
      ours.close()
      pending.delete(id)
      if (pending.size === 0) {
        worker.unref()
        clearTimeout(idle)
        idle = setTimeout(() => void end(), idleMs).unref()
      }
    }
  }

  return {
    run: async (name, input) => {
      const isSmall = sizeOf(input) <= mainThreadMaxCharacters
      // TypeScript does not see that the input is that of the task of this name.
      const run = documentTasks[name] as (input: unknown) => unknown
      return (isSmall ? run(input) : await runInThread(name, input)) as ReturnType<(typeof documentTasks)[typeof name]>
    },
    close: end,
  }
}

async function send(port: MessagePort, value: unknown): Promise<void> {
  for (const piece of piecesOf(value)) {
    port.postMessage(piece)
    await nextTurn()
  }
  port.postMessage(null)
}

/** Takes one piece after the other out of the queue: with a listener, all of them would be read in one go. */
async function receive(port: MessagePort): Promise<unknown> {
  const result = new Assembly()
  for (;;) {
    const next = receiveMessageOnPort(port)
    if (next === undefined) throw new Error('The thread for large documents ended before its result was read.')
    const piece = next.message as Piece | null
    if (piece === null) return result.value
    result.add(piece)
    await nextTurn()
  }
}
