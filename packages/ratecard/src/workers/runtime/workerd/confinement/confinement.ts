// How one workerd process is confined. The runtime does not claim to be a hardened sandbox, so the process holds as little as the
// system allows: no user of ours, no capabilities, no network but the egress socket, and no file but its own where that can be had.
import { execFile, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { confinementModes } from '../../confinement-modes.ts'
import type { ConfinementMode } from '../../confinement-modes.ts'
import { seccompProgram } from './seccomp.ts'

/** One process to be confined. */
export interface ProcessToConfine {
  readonly binary: string
  readonly args: readonly string[]
  /** Its user; null keeps the service's own. */
  readonly user: number | null
  /** The only part of the host that it may write to; it sees it under the same path. */
  readonly folder: string
  /** The system's own limit, beside those that the watchdog keeps. */
  readonly memoryMb: number
}

export interface Confinement {
  readonly mode: ConfinementMode
  /** For people, at start and in health checks. */
  readonly detail: string
  /** Each process gets a user of its own, so that none may signal or trace another. */
  readonly ownUsers: boolean
  command(process: ProcessToConfine): readonly [string, ...string[]]
  /** To be open as descriptor 4 of the command. */
  readonly filter: Uint8Array | null
}

export const filterDescriptor = 4

export interface ChosenConfinement {
  readonly confinement: Confinement
  /** The runtime's executable, at a path that the processes can open. */
  readonly binary: string
}

/**
 * The strictest mode that works here (`auto`), or exactly the one asked for; rejects when that one does not work. `copy` puts
 * the executable where every user can open it; it is called only when the installed one cannot be.
 */
export async function chooseConfinement(
  setting: 'auto' | ConfinementMode,
  installed: string,
  copy: () => Promise<string>,
): Promise<ChosenConfinement> {
  const root = process.getuid?.() === 0
  const reasons: string[] = []
  let copied: Promise<string> | undefined
  for (const { mode, mountsProc } of ways(setting)) {
    const confinement = await confinementOf(mode, root, installed, mountsProc)
    if (typeof confinement === 'string') {
      reasons.push(`${mode}: ${confinement}`)
      continue
    }
    const installedFails = await trial(confinement, installed, confinement.ownUsers)
    if (installedFails === null) return { confinement, binary: installed }
    if (!confinement.ownUsers) {
      reasons.push(installedFails)
      continue
    }
    const binary = await (copied ??= copy())
    const copyFails = await trial(confinement, binary, false)
    if (copyFails === null) return { confinement, binary }
    reasons.push(copyFails)
  }
  throw new Error(`workers cannot be started here: ${[...new Set(reasons)].join('; ')}`)
}

interface Way {
  readonly mode: ConfinementMode
  readonly mountsProc: boolean
}

/** Containers hide parts of /proc, and the kernel lets nobody mount another one then: bubblewrap is tried without. */
function ways(setting: 'auto' | ConfinementMode): readonly Way[] {
  const modes = setting === 'auto' ? confinementModes : [setting]
  return modes.flatMap((mode) => {
    const best = { mode, mountsProc: true }
    return mode === 'bubblewrap' ? [best, { mode, mountsProc: false }] : [best]
  })
}

/**
 * The confinement, or a text that says what is missing for it. `mountsProc`: bubblewrap gives the process a /proc of its own, else
 * none. @public for the test that looks around inside each.
 */
export async function confinementOf(
  mode: ConfinementMode,
  root: boolean,
  binary: string,
  mountsProc = true,
): Promise<Confinement | string> {
  const tools = { setpriv: find('setpriv'), prlimit: find('prlimit'), unshare: find('unshare'), bwrap: find('bwrap') }
  const limited = limits(tools.prlimit)
  if (mode === 'none') return unconfined(tools.setpriv, limited)
  if (process.platform !== 'linux' || tools.setpriv === null) return 'needs util-linux on Linux'
  if (mode === 'uid') return root ? otherUser(tools.setpriv, limited) : 'needs root'
  if (!existsSync(`/proc/self/task/${process.pid}/children`))
    return 'needs a kernel that tells the children of a process'
  if (mode === 'namespaces')
    return tools.unshare === null ? 'needs unshare' : namespaces(tools.setpriv, tools.unshare, root, limited)
  if (tools.bwrap === null) return 'is not installed'
  const filter = seccompProgram(process.arch)
  // Without /proc bubblewrap cannot turn further namespaces off; the filter refuses them.
  if (!mountsProc && filter === null) return 'needs a filter of system calls where /proc cannot be mounted'
  const proc = mountsProc ? ['--disable-userns', '--proc', '/proc'] : ['--symlink', binaryInside, '/proc/self/exe']
  return bubblewrap(tools.setpriv, tools.bwrap, root, limited, await librariesOf(binary), proc, filter)
}

/** Address space that the runtime reserves without using it, and room for the stacks of its threads. */
const reservedMb = 1_024 + 16 * os.availableParallelism()

type ResourceLimits = (process: ProcessToConfine) => readonly string[]

/** What comes in front of a command so that the system limits it from its first instant. No core dump: it would hold secrets. */
function limits(prlimit: string | null): ResourceLimits {
  return ({ memoryMb }) => {
    if (prlimit === null) return []
    return [prlimit, `--data=${String((memoryMb + reservedMb) * 1024 * 1024)}`, '--core=0', '--']
  }
}

function unconfined(setpriv: string | null, limited: ResourceLimits): Confinement {
  return {
    mode: 'none',
    detail: 'Workers run as processes of the same user, without a sandbox of their own.',
    ownUsers: false,
    filter: null,
    command: (process) =>
      commandOf([
        ...limited(process),
        ...(setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--']),
        ...[process.binary, ...process.args],
      ]),
  }
}

function otherUser(setpriv: string, limited: ResourceLimits): Confinement {
  return {
    mode: 'uid',
    detail: 'Each worker runs as an unprivileged user of its own; its network is closed by the runtime only.',
    ownUsers: true,
    filter: null,
    command: (process) =>
      commandOf([...limited(process), setpriv, ...asUser(process.user), '--', process.binary, ...process.args]),
  }
}

const isolate = ['--net', '--ipc', '--uts', '--pid', '--fork', '--kill-child']

function namespaces(setpriv: string, unshare: string, root: boolean, limited: ResourceLimits): Confinement {
  const outside = root
    ? [setpriv, '--pdeathsig', 'KILL', '--', unshare, ...isolate]
    : [unshare, '--user', '--map-current-user', ...isolate]
  return {
    mode: 'namespaces',
    detail: root
      ? 'Each worker runs as an unprivileged user of its own in an empty network namespace; it sees the files of this machine that every user may read.'
      : 'Each worker runs in an empty network namespace, as the user of the service, whose files it sees.',
    ownUsers: root,
    filter: null,
    command: (process) =>
      commandOf([
        ...[...limited(process), ...outside, '--'],
        ...[setpriv, ...asUser(process.user), '--', process.binary, ...process.args],
      ]),
  }
}

const binaryInside = '/workerd'

function bubblewrap(
  setpriv: string,
  bwrap: string,
  root: boolean,
  limited: ResourceLimits,
  libraries: readonly string[],
  proc: readonly string[],
  filter: Uint8Array | null,
): Confinement {
  const who = root ? 'as an unprivileged user of its own' : 'as the user of the service'
  const calls = filter === null ? '' : ', and dangerous system calls are refused'
  return {
    mode: 'bubblewrap',
    detail: `Each worker runs in bubblewrap, ${who}: it has an empty network, sees no files of this machine and no other processes${calls}.`,
    ownUsers: root,
    filter,
    command: (process) =>
      commandOf([
        ...[...limited(process), setpriv, ...asUser(process.user), '--'],
        ...[bwrap, '--unshare-all', '--unshare-user', '--die-with-parent', '--new-session', ...proc],
        ...['--ro-bind', process.binary, binaryInside],
        ...libraries.flatMap((library) => ['--ro-bind', library, library]),
        ...['--dev-bind', '/dev/urandom', '/dev/urandom'],
        ...['--bind', process.folder, process.folder, '--remount-ro', '/', '--chdir', '/'],
        ...(filter === null ? [] : ['--seccomp', String(filterDescriptor)]),
        ...['--', binaryInside, ...process.args],
      ]),
  }
}

function commandOf(words: readonly string[]): readonly [string, ...string[]] {
  const [first = '', ...rest] = words
  return [first, ...rest]
}

/** `--pdeathsig` comes with the user: the kernel clears it when the user changes. */
function asUser(user: number | null): string[] {
  const kept = ['--no-new-privs', '--inh-caps=-all', '--pdeathsig', 'KILL']
  if (user === null) return kept
  return [`--reuid=${String(user)}`, `--regid=${String(user)}`, '--clear-groups', '--bounding-set=-all', ...kept]
}

function find(name: string): string | null {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((folder) => `${folder}/${name}`).find(existsSync) ?? null
}

/** The shared libraries of a program, as its loader finds them. */
function librariesOf(binary: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    execFile(binary, [], { env: { LD_TRACE_LOADED_OBJECTS: '1' }, timeout: 10_000 }, (_error, stdout) => {
      resolve([...new Set(stdout.match(/\/\S+\.so\S*/g) ?? [])])
    })
  })
}

/** The user of a trial, which has nothing to protect: none that a worker could have. */
const trialUser = 64_000

/**
 * Runs the real binary in the real confinement, so that what is missing shows here and not at the first deploy. `silent`: a
 * word on standard error counts as failure, as the runtime complains there when its user cannot enter the folder that it lies in.
 */
async function trial(confinement: Confinement, binary: string, silent: boolean): Promise<string | null> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'rct-'))
  const user = confinement.ownUsers ? trialUser : null
  const filterFile = path.join(folder, 'filter')
  if (confinement.filter !== null) await writeFile(filterFile, confinement.filter)
  const [command, ...args] = confinement.command({ binary, args: ['--version'], user, folder, memoryMb: 512 })
  const filter = confinement.filter === null ? 'ignore' : openSync(filterFile, 'r')
  try {
    const child = spawn(command, args, {
      env: {},
      cwd: '/',
      timeout: 10_000,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', filter],
    })
    let [said, complaint] = ['', '']
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text))
    const failure = await new Promise<string | null>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('close', (code) => resolve(code === 0 ? null : `ended with ${String(code)}`))
    })
    if (failure === null && said.startsWith('workerd ') && (complaint === '' || !silent)) return null
    return `${confinement.mode}: ${complaint.trim().split('\n')[0] || (failure ?? 'no answer')}`
  } finally {
    if (typeof filter === 'number') closeSync(filter)
    await rm(folder, { recursive: true, force: true })
  }
}
