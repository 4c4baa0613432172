// Programs of this machine that a test runs beside the service: proxies, load balancers, the command itself.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** Path of a system program. Undefined if it is not installed. */
export const systemProgram = (name: string) =>
  ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file))

/** A port of 127.0.0.1 that was free when probed, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a program that ends with the test. `said` returns its stderr so far. */
export function startProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string) {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  return { child, said: () => said }
}

/** Parses the first line of output as JSON. Fails with the program's stderr if it ends before. */
export async function firstAnswer<T>({ child, said }: ReturnType<typeof startProgram>): Promise<T> {
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`ended with ${String(code)}: ${said()}`)
    }),
  ])) as [string]
  return JSON.parse(line) as T
}
