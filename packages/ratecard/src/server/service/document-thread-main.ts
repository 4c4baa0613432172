// Entry point of the worker thread of document-thread.ts. Executes tasks one at a time.
import { parentPort } from 'node:worker_threads'
import { documentTasks } from '../../catalog/document-tasks.ts'
import type { ThreadReply, ThreadRequest } from './document-thread.ts'
import { Assembly, piecesOf, type Piece } from './message-pieces.ts'

const parent = parentPort
if (parent === null) throw new Error('This file is the body of a thread.')

parent.on('message', ({ id, task, port }: ThreadRequest) => {
  const input = new Assembly()
  port.on('message', (piece: Piece | null) => {
    if (piece !== null) input.add(piece)
    else parent.postMessage({ id, ...resultOf(task, input.value, port) } satisfies ThreadReply)
  })
})

/**
 * Runs a task and posts its result in chunks to `port`. Send the reply after this function has returned; then the whole result is already
 * queued when the reply arrives.
 */
function resultOf(task: ThreadRequest['task'], input: unknown, port: ThreadRequest['port']): Omit<ThreadReply, 'id'> {
  try {
    const run = documentTasks[task] as (input: unknown) => unknown
    for (const piece of piecesOf(run(input))) port.postMessage(piece)
    port.postMessage(null)
    return {}
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
