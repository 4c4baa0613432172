// Matches ids with the patterns of policies in a thread of its own, because a pattern may take long and would block all other requests.
import { Worker } from 'node:worker_threads'

/** Time (ms) that the patterns of a plan may take in all. */
const patternsTimeoutMs = 100

const body = `
const { parentPort, workerData } = require('node:worker_threads')
for (const { pattern, ids } of workerData)
  for (const id of ids) parentPort.postMessage([pattern, id, new RegExp(pattern, 'u').test(id)])
parentPort.postMessage(null)
`

export interface PatternAndIds {
  readonly pattern: string
  readonly ids: readonly string[]
}

/** Returns a function that is true for a pattern and an id that match. An id that was not reached in time does not. */
export async function patternMatches(
  asked: readonly PatternAndIds[],
): Promise<(pattern: RegExp, id: string) => boolean> {
  const matched = new Set<string>()
  const named = (pattern: string, id: string) => JSON.stringify([pattern, id])
  if (asked.some(({ ids }) => ids.length > 0)) await run(asked, (pattern, id) => matched.add(named(pattern, id)))
  return (pattern, id) => matched.has(named(pattern.source, id))
}

function run(asked: readonly PatternAndIds[], found: (pattern: string, id: string) => void): Promise<void> {
  const worker = new Worker(body, { eval: true, execArgv: [], workerData: asked })
  let timer: NodeJS.Timeout | undefined
  return new Promise<void>((resolve, reject) => {
    worker.once('online', () => {
      timer = setTimeout(resolve, patternsTimeoutMs)
    })
    worker.once('error', reject)
    worker.on('message', (answer: readonly [string, string, boolean] | null) => {
      if (answer === null) resolve()
      else if (answer[2]) found(answer[0], answer[1])
    })
  }).finally(() => {
    clearTimeout(timer)
    void worker.terminate()
  })
}
