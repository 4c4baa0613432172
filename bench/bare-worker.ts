import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { findWorkerd } from '../packages/ratecard/src/workers/runtime/workerd/process/binary.ts'

export const helloWorker = `export default { fetch() { return new Response('Hello') } }\n`
export const compatibilityDate = '2026-11-01'

export interface BareWorker {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ["--max-heap-size=128", "--max-semi-space-size=1"],
  services = [ (name = "user", worker = .user) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "user") ],
);
const user :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  compatibilityDate = "${compatibilityDate}",
);
`

/** Baseline: the runtime alone, with the same worker and the same V8 flags, without our host in front of it. */
export async function startBareWorker(): Promise<BareWorker> {
  const binary = findWorkerd()
  if (binary === null) throw new Error('workerd is not installed')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bare-'))
  writeFileSync(path.join(folder, 'worker.js'), helloWorker)
  writeFileSync(path.join(folder, 'config.capnp'), config)
  const child = spawn(binary, ['serve', path.join(folder, 'config.capnp'), '--control-fd=3'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const port = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('workerd ended while it started')))
    createInterface(child.stdio[3] as Readable).on('line', (line) => {
      const port = /"socket":"http","port":(\d+)/.exec(line)?.[1]
      if (port !== undefined) resolve(port)
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
