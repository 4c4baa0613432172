// A thread for tests of the supervision: reports that it listens, responds once, then loops forever.
import { parentPort } from 'node:worker_threads'

parentPort?.postMessage({ kind: 'listening', url: 'http://127.0.0.1:1', port: 1 })
parentPort?.once('message', () => {
  for (;;);
})
