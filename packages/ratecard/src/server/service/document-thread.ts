// Validates, plans and compares large documents in a worker thread, because such a task would block the event loop for other requests. The
// thread starts with the first large document and ends after five idle seconds, so that an idle service does not pay for it. There is only
// one thread, so tasks are queued. If the thread crashes, its tasks fail and the next task starts a new thread.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import { documentTasks, type Documents } from '../../catalog/document-tasks.ts'
import { Assembly, piecesOf, sizeOf, type Piece } from './message-pieces.ts'

export interface ThreadRequest {
  readonly id: number
  readonly task: keyof typeof documentTasks
  /** Port that transfers the input in chunks, then the result in chunks. null follows the last chunk of each. */
  readonly port: MessagePort
}

export interface ThreadReply {
  readonly id: number
  readonly error?: string
}

/**
 * Maximum size (characters) of a document that is processed on the main thread: about 65 products with five prices each. Such a task takes
 * a few milliseconds, as long as sending a message to the thread.
 */
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

/** Creates the task runner. `close` ends the thread; tasks that are not finished fail. */
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
    // The thread must keep the process alive while a result is pending.
    worker.ref()
    const id = ++count
    const { port1: ours, port2: port } = new MessageChannel()
    try {
      const done = new Promise<void>((resolve, reject) => {
        pending.set(id, { resolve, reject })
      })
      worker.postMessage({ id, task, port } satisfies ThreadRequest, [port])
      await Promise.all([send(ours, input), done])
      return await receiveMessage(ours)
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
      // The cast is needed because TypeScript cannot derive that the input belongs to the task with this name.
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

/** Reads a value from the port chunk by chunk, because a listener would receive all chunks in one turn of the event loop. */
async function receiveMessage(port: MessagePort): Promise<unknown> {
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
