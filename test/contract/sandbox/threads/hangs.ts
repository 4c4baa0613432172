// A thread for the supervision's tests: listens in name, answers once, then computes for ever.
import { parentPort } from 'node:worker_threads'

parentPort?.postMessage({ kind: 'listening', url: 'http://127.0.0.1:1', port: 1 })
parentPort?.once('message', () => {
  for (;;);
})
