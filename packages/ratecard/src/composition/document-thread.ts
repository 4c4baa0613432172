// Validation and the document of a live account look at everything at once and cannot pause: what is large is done in a thread of
// its own, so that other requests go on. The thread starts when it is needed and ends when nobody needed it for a while.
import { Worker } from 'node:worker_threads'
import { toDocument } from '../catalog/document/to-document.ts'
import type { LiveDocument } from '../catalog/document/to-document.ts'
import type { BillingConfig } from '../config/document/schema.ts'
import { validateConfig } from '../config/validation/validate.ts'
import type { ConfigValidation } from '../config/validation/validate.ts'
import type { Documents } from '../sync/documents.ts'
import { holdMoreThan, inTurns } from '../turns.ts'
import { jsonTurns } from '../wire/json.ts'

/** A document as JSON text, which crosses at less cost than its values; or what is live, as values. */
export type Order = { readonly id: number } & (
  | { readonly what: 'validate'; readonly text: string; readonly options: Parameters<typeof validateConfig>[1] }
  | { readonly what: 'from_live'; readonly live: Parameters<typeof toDocument> }
)

export interface Answer {
  readonly id: number
  /** Without the document: the caller has it. */
  readonly verdict?: Omit<ConfigValidation, 'config'>
  readonly document?: LiveDocument
  readonly error?: string
}

/** Up to this many values a document is judged in some milliseconds, which is less than another thread is worth. */
const fewValues = 4_000
const idleMs = 5_000

type Asked = Order extends infer One ? (One extends Order ? Omit<One, 'id'> : never) : never

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, Waiting>
}

/** `close` ends the thread; whoever waits for it fails. */
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
    const started: Thread = { worker, waiting: new Map() }
    worker.unref()
    worker.on('message', (answer: Answer) => {
      const waiting = started.waiting.get(answer.id)
      started.waiting.delete(answer.id)
      if (started.waiting.size === 0) {
        worker.unref()
        clearTimeout(idle)
        idle = setTimeout(() => void end(), idleMs).unref()
      }
      if (answer.error === undefined) waiting?.resolve(answer)
      else waiting?.reject(new Error(answer.error))
    })
    let cause: unknown
    worker.on('error', (error: unknown) => {
      cause = error
    })
    worker.on('exit', () => {
      if (thread === started) thread = undefined
      const lost = new Error('The thread that reads large documents ended.', { cause })
      for (const { reject } of started.waiting.values()) reject(lost)
    })
    return started
  }

  const ask = (asked: Asked): Promise<Answer> => {
    clearTimeout(idle)
    const { worker, waiting } = (thread ??= start())
    const id = ++count
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      // A process must not end while an answer is due.
      worker.ref()
      worker.postMessage({ ...asked, id } satisfies Order)
    })
  }

  return {
    validate: async (document, options) => {
      if (!holdMoreThan(fewValues, [document])) return validateConfig(document, options)
      const text = await inTurns(jsonTurns(document))
      const { verdict } = await ask({ what: 'validate', text, options })
      if (verdict === undefined) throw new Error('The thread gave no verdict.')
      return { ...verdict, config: verdict.valid ? (document as BillingConfig) : null }
    },
    fromLive: async (...live) => {
      if (!holdMoreThan(fewValues, live)) return toDocument(...live)
      const { document } = await ask({ what: 'from_live', live })
      if (document === undefined) throw new Error('The thread gave no document.')
      return document
    },
    close: end,
  }
}
