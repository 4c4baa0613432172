// The thread's side of document-thread.ts: one order after the other.
import { parentPort } from 'node:worker_threads'
import { toDocument } from '../catalog/document/to-document.ts'
import { validateConfig } from '../config/validation/validate.ts'
import type { Answer, Order } from './document-thread.ts'

const port = parentPort
if (port === null) throw new Error('This file is the body of a thread.')

port.on('message', (order: Order) => {
  port.postMessage({ id: order.id, ...carriedOut(order) } satisfies Answer)
})

function carriedOut(order: Order): Omit<Answer, 'id'> {
  try {
    if (order.what === 'from_live') return { document: toDocument(...order.live) }
    const { valid, errors, warnings } = validateConfig(JSON.parse(order.text), order.options)
    return { verdict: { valid, errors, warnings } }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
