// A thread for tests of the supervision: reports that it listens, then fails at the first message.
import { parentPort } from 'node:worker_threads'

parentPort?.postMessage({ kind: 'listening', url: 'http://127.0.0.1:1', port: 1 })
parentPort?.on('message', () => {
  throw new Error('a crash of the sandbox')
})
