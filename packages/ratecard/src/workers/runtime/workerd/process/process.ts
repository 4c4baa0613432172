// One workerd process: creates its private folder, starts it and ends it. Does not handle requests.
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { WorkerVersionSpec } from '../../worker-runtime.ts'
import { fileNames, moduleFile, moduleFiles, workerdConfig } from './workerd-config.ts'
import { guardCallback } from '../../../../base/guarded.ts'
import { createEgress, type EgressPolicy } from '../traffic/egress.ts'
import { cacheModule, controlModule, egressModule, entryModule, preludeModule } from './entry.ts'
import { lineReader } from './log-lines.ts'
import type { Confinement } from '../confinement/confinement.ts'
import { processesFrom, StartFailed, watchStart } from './start-watch.ts'

/** Maximum length (bytes) of a unix socket path, without the terminating zero byte. */
const maxSocketPathLength = 107

export interface ProcessOptions {
  readonly spec: WorkerVersionSpec
  readonly binary: string
  readonly confinement: Confinement
  /** User id of the process; null to run it as the user of the service. */
  readonly user: number | null
  /** Absolute path of the private folder; must not exist yet. */
  readonly folder: string
  readonly startTimeoutMs: number
  readonly egress: EgressPolicy
  readonly onLine: (line: string, from: 'stdout' | 'stderr') => void
}

export interface ProcessExit {
  /** Last lines of standard error. They show the cause of the exit. */
  readonly stderrTail: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface WorkerdProcess {
  /** Pid of workerd itself, not of a helper process (e.g. bubblewrap) that started it. */
  readonly pid: number
  readonly httpSocket: string
  readonly controlSocket: string
  readonly ended: Promise<ProcessExit>
  /** Resolves after `ended`, when the folder and the egress proxy have been removed too. */
  readonly removed: Promise<void>
  terminate(): void
  kill(): void
}

/**
 * Starts a process and resolves when both of its sockets accept connections. By then the configuration, which contains secrets, has been
 * deleted from disk.
 */
export async function startProcess(options: ProcessOptions): Promise<WorkerdProcess> {
  if (Buffer.byteLength(path.join(options.folder, fileNames.control)) > maxSocketPathLength)
    throw new StartFailed(`The folder ${options.folder} is too deep for unix sockets.`, '')
  const egress = createEgress(options.egress)
  const removeAll = async (): Promise<void> => {
    egress.close()
    await rm(options.folder, { recursive: true, force: true })
  }
  try {
    const files = await writeFolder(options)
    await listenOnSocket(egress.server, options)
    const process = await launchProcess(options, removeAll)
    await Promise.all(files.map((file) => rm(path.join(options.folder, file), { force: true })))
    return process
  } catch (error) {
    await removeAll()
    throw error
  }
}

async function writeFolder(options: ProcessOptions): Promise<string[]> {
  const { spec, folder, user, confinement } = options
  const files: Record<string, string | Uint8Array> = {
    [fileNames.config]: workerdConfig(spec, folder),
    [moduleFiles.entry]: entryModule,
    [moduleFiles.prelude]: preludeModule,
    [moduleFiles.user]: spec.code,
    [moduleFiles.control]: controlModule,
    [moduleFiles.egress]: egressModule,
    [moduleFiles.cache]: cacheModule,
  }
  if (confinement.filter !== null) files[fileNames.filter] = confinement.filter
  spec.modules.forEach((module, index) => (files[moduleFile(index)] = module.content))
  await mkdir(folder, { mode: 0o700 })
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    await writeFile(file, content, { mode: 0o600, flag: 'wx' })
    if (user !== null) await chown(file, user, user)
  }
  if (user !== null) await chown(folder, user, user)
  return Object.keys(files)
}

async function listenOnSocket(
  server: ReturnType<typeof createEgress>['server'],
  options: ProcessOptions,
): Promise<void> {
  const socket = path.join(options.folder, fileNames.egress)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
  const { user } = options
  await chmod(socket, 0o600)
  if (user !== null) await chown(socket, user, user)
}

async function launchProcess(options: ProcessOptions, removeAll: () => Promise<void>): Promise<WorkerdProcess> {
  const { spec, confinement, binary, user, folder } = options
  const args = ['serve', path.join(folder, fileNames.config), '--control-fd=3']
  const { memoryMb } = spec.limits
  const [command, ...rest] = confinement.command({ binary, args, user, folder, memoryMb })
  // Opens the filter file for each process, because after the first read a shared descriptor is at the end of the file.
  const filter = confinement.filter === null ? 'ignore' : openSync(path.join(folder, fileNames.filter), 'r')
  const child = spawn(command, rest, { env: {}, cwd: '/', stdio: ['ignore', 'pipe', 'pipe', 'pipe', filter] })
  if (typeof filter === 'number') closeSync(filter)
  if (child.pid !== undefined) lowerPriority(child.pid)
  const words = collect(child, options.onLine)
  const ended = new Promise<ProcessExit>((resolve) => {
    child.once('error', (error) => resolve({ stderrTail: error.message, code: null, signal: null }))
    child.once('close', (code, signal) => resolve({ stderrTail: words(), code, signal }))
  })
  const removed = ended
    .then(removeAll)
    .catch((error: unknown) => options.onLine(`The folder ${folder} could not be removed: ${String(error)}`, 'stderr'))
  const watch = watchStart(child.pid ?? 0, spec.limits)
  try {
    await waitUntilReady(child, ended, watch.exceeded, options.startTimeoutMs)
    const pid = processesFrom(child.pid ?? 0).at(-1) ?? 0
    if (pid === 0) throw new StartFailed('The process of the runtime could not be found.', words())
    lowerPriority(pid)
    await writeFile(path.join(options.folder, 'pid'), `${pid}`, { mode: 0o600 })
    return {
      pid,
      httpSocket: path.join(options.folder, fileNames.http),
      controlSocket: path.join(options.folder, fileNames.control),
      ended,
      removed,
      ...signalSender(child, pid),
    }
  } catch (error) {
    child.kill('SIGKILL')
    await removed
    throw error
  } finally {
    watch.stop()
  }
}

/**
 * Value added to the nice level of a worker's process. On a busy core the service then gets about three times the CPU share of a worker.
 */
const niceIncrement = 5

/**
 * Lowers the priority of every thread that workerd has started so far; later threads inherit it. Otherwise a worker in an endless loop
 * could starve the service.
 */
function lowerPriority(pid: number): void {
  const priority = Math.min(os.getPriority() + niceIncrement, os.constants.priority.PRIORITY_LOW)
  try {
    // Linux has a priority per thread. Setting the priority of the process alone would miss threads that already run.
    for (const thread of readdirSync(`/proc/${pid}/task`)) os.setPriority(Number(thread), priority)
  } catch {
    // Ignores the failure: the process has ended, or the system does not allow the change. The worker then keeps the priority of the
    // service.
  }
}

function signalSender(child: ChildProcess, pid: number): Pick<WorkerdProcess, 'terminate' | 'kill'> {
  const send = (name: NodeJS.Signals): void => {
    // Sends no signal to a process that has ended, because its pid may be reused.
    if (child.exitCode !== null || child.signalCode !== null) return
    // Signals workerd before the helper process, because the helper waits for workerd and does not forward signals.
    if (pid !== child.pid) sendSignal(pid, name)
    if (pid === child.pid || name === 'SIGKILL') child.kill(name)
  }
  return { terminate: () => send('SIGTERM'), kill: () => send('SIGKILL') }
}

/**
 * Maximum output (bytes) that is read from one process per second. A process that prints more is blocked in its write calls, so it slows
 * down only itself and not the service.
 */
const outputPerSecond = 2 * 1024 * 1024

function collect(child: ChildProcess, onLine: ProcessOptions['onLine']): () => string {
  const last: string[] = []
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null)
  let second = 0
  let read = 0
  const meter = (bytes: number): void => {
    const now = performance.now()
    if (now - second >= 1_000) {
      second = now
      read = 0
    }
    read += bytes
    if (read <= outputPerSecond) return
    for (const stream of streams) stream.pause()
    setTimeout(() => streams.forEach((stream) => stream.resume()), 1_000 - (now - second)).unref()
  }
  for (const from of ['stdout', 'stderr'] as const) {
    const reader = lineReader((line) => {
      if (from === 'stderr' && last.push(line) > 40) last.shift()
      onLine(line, from)
    })
    // A decoding error loses only this part of the worker's output.
    const lost = (error: unknown): void => void last.push(`Output was lost: ${String(error)}`)
    const onData = (chunk: Buffer): void => {
      meter(chunk.length)
      reader.push(chunk)
    }
    child[from]?.on('data', guardCallback(onData, lost))
    child[from]?.on(
      'end',
      guardCallback(() => reader.end(), lost),
    )
    child[from]?.on('error', lost)
  }
  return () => last.join('\n')
}

async function waitUntilReady(
  child: ChildProcess,
  gone: Promise<ProcessExit>,
  exceeded: Promise<never>,
  timeoutMs: number,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StartFailed(`The worker did not start within ${timeoutMs} ms.`, '')), timeoutMs)
  })
  const death = gone.then((end) => {
    throw new StartFailed('The worker ended while it started.', end.stderrTail)
  })
  // Marks the rejection as handled, because another promise of the race below may settle first.
  death.catch(() => undefined)
  try {
    await Promise.race([bothSockets(child), timeout, death, exceeded])
  } finally {
    clearTimeout(timer)
  }
}

function bothSockets(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const waiting = new Set(['http', 'control'])
    const reader = lineReader((line) => {
      const name = /"event":"listen","socket":"(\w+)"/.exec(line)?.[1]
      if (name !== undefined) waiting.delete(name)
      if (waiting.size === 0) resolve()
    })
    const control = child.stdio[3] as Readable | null
    control?.on('data', (chunk: Buffer) => reader.push(chunk))
    control?.on('error', () => undefined)
  })
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The failure is ignored, because the process has already ended.
  }
}
