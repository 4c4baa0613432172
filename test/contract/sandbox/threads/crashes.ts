// A thread for the supervision's tests: listens in name, then fails when it is asked anything.
import { parentPort } from 'node:worker_threads'

parentPort?.postMessage({ kind: 'listening', url: 'http://127.0.0.1:1', port: 1 })
parentPort?.on('message', () => {
  throw new Error('a crash of the sandbox')
})
