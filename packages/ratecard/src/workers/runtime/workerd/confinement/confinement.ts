// Confinement of a workerd process. workerd does not claim to be a hardened sandbox, so its process gets as few rights as possible. It has
// a separate user, no capabilities, no network except the egress socket and, where possible, no files except its own.
import { execFile, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { confinementModes, type ConfinementMode } from '../../confinement-modes.ts'
import { seccompProgram } from './seccomp.ts'

/** Command line of the process, with its user, folder and memory limit. */
export interface ProcessToConfine {
  readonly binary: string
  readonly args: readonly string[]
  /** User id of the process; null to run it as the user of the service. */
  readonly user: number | null
  /** The only folder of the host that the process may write to. It has the same path inside the confinement. */
  readonly folder: string
  /** Memory limit (MB) enforced by the kernel, in addition to the watchdog. */
  readonly memoryMb: number
}

export interface Confinement {
  readonly mode: ConfinementMode
  /** Description of the confinement for operators, shown at start and in health checks. */
  readonly detail: string
  /** True if each process runs as a separate user, so that no process can signal or trace another. */
  readonly ownUsers: boolean
  command(process: ProcessToConfine): readonly [string, ...string[]]
  /** Seccomp program, passed to the command as file descriptor 4; null for none. */
  readonly filter: Uint8Array | null
}

export const filterDescriptor = 4

export interface ChosenConfinement {
  readonly confinement: Confinement
  /** Path of the workerd executable that all confined processes can open. */
  readonly binary: string
}

/**
 * Selects the confinement. `auto` tries all modes, the strictest first, and uses the first that works. If a mode is configured, it must
 * work, otherwise this rejects. `copy` copies the executable to a folder that every user can open; it is called only if the worker's user
 * cannot open the installed one.
 */
export async function chooseConfinement(
  setting: 'auto' | ConfinementMode,
  installed: string,
  copy: () => Promise<string>,
): Promise<ChosenConfinement> {
  const root = process.getuid?.() === 0
  const reasons: string[] = []
  let copied: Promise<string> | undefined
  for (const { mode, mountsProc } of waysToTry(setting)) {
    const confinement = await confinementOf(mode, root, installed, mountsProc)
    if (typeof confinement === 'string') {
      reasons.push(`${mode}: ${confinement}`)
      continue
    }
    const installedFails = await tryConfinement(confinement, installed, confinement.ownUsers)
    if (installedFails === null) return { confinement, binary: installed }
    if (!confinement.ownUsers) {
      reasons.push(installedFails)
      continue
    }
    const binary = await (copied ??= copy())
    const copyFails = await tryConfinement(confinement, binary, false)
    if (copyFails === null) return { confinement, binary }
    reasons.push(copyFails)
  }
  throw new Error(`workers cannot be started here: ${[...new Set(reasons)].join('; ')}`)
}

interface Way {
  readonly mode: ConfinementMode
  readonly mountsProc: boolean
}

/**
 * Returns the modes to try, in order. Bubblewrap is tried with and without a mount of /proc, because the kernel refuses this mount in a
 * container that hides parts of /proc.
 */
function waysToTry(setting: 'auto' | ConfinementMode): readonly Way[] {
  const modes = setting === 'auto' ? confinementModes : [setting]
  return modes.flatMap((mode) => {
    const best = { mode, mountsProc: true }
    return mode === 'bubblewrap' ? [best, { mode, mountsProc: false }] : [best]
  })
}

/**
 * Returns the confinement for a mode, or a text that names the missing requirement. With `mountsProc`, bubblewrap mounts a separate /proc
 * for the process, otherwise no /proc. @public for the test that inspects the inside of each mode.
 */
export async function confinementOf(
  mode: ConfinementMode,
  root: boolean,
  binary: string,
  mountsProc = true,
): Promise<Confinement | string> {
  const tools = { setpriv: find('setpriv'), prlimit: find('prlimit'), unshare: find('unshare'), bwrap: find('bwrap') }
  const limited = createLimits(tools.prlimit)
  if (mode === 'none') return unconfined(tools.setpriv, limited)
  if (process.platform !== 'linux' || tools.setpriv === null) return 'needs util-linux on Linux'
  if (mode === 'uid') return root ? otherUser(tools.setpriv, limited) : 'needs root'
  if (!existsSync(`/proc/self/task/${process.pid}/children`))
    return 'needs a kernel that tells the children of a process'
  if (mode === 'namespaces')
    return tools.unshare === null ? 'needs unshare' : namespaces(tools.setpriv, tools.unshare, root, limited)
  if (tools.bwrap === null) return 'is not installed'
  const filter = seccompProgram(process.arch)
  // Without /proc, bubblewrap cannot disable further user namespaces. The seccomp filter must reject them instead.
  if (!mountsProc && filter === null) return 'needs a filter of system calls where /proc cannot be mounted'
  const proc = mountsProc ? ['--disable-userns', '--proc', '/proc'] : ['--symlink', binaryInside, '/proc/self/exe']
  return bubblewrap(tools.setpriv, tools.bwrap, root, limited, await librariesOf(binary), proc, filter)
}

/** Address space (MB) that workerd reserves but does not use, plus the stacks of its threads. */
const reservedMb = 1_024 + 16 * os.availableParallelism()

type ResourceLimits = (process: ProcessToConfine) => readonly string[]

/**
 * Returns a function that creates the `prlimit` prefix of a command, so that the limits apply from its start. Core dumps are disabled,
 * because they would contain secrets.
 */
function createLimits(prlimit: string | null): ResourceLimits {
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

/** The command that changes the user also sets `--pdeathsig`, because the kernel clears it when the user changes. */
function asUser(user: number | null): string[] {
  const kept = ['--no-new-privs', '--inh-caps=-all', '--pdeathsig', 'KILL']
  if (user === null) return kept
  return [`--reuid=${String(user)}`, `--regid=${String(user)}`, '--clear-groups', '--bounding-set=-all', ...kept]
}

function find(name: string): string | null {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((folder) => `${folder}/${name}`).find(existsSync) ?? null
}

/** Returns the paths of a program's shared libraries, as its loader lists them. */
function librariesOf(binary: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    execFile(binary, [], { env: { LD_TRACE_LOADED_OBJECTS: '1' }, timeout: 10_000 }, (_error, stdout) => {
      resolve([...new Set(stdout.match(/\/\S+\.so\S*/g) ?? [])])
    })
  })
}

/** User id of a trial process. The id is never assigned to a worker. */
const trialUser = 64_000

/**
 * Runs the executable in the confinement, so that a missing requirement is found now and not at the first deployment. With `silent`, any
 * output on standard error counts as failure. E.g. workerd only prints a warning about a folder that its user cannot open.
 */
async function tryConfinement(confinement: Confinement, binary: string, silent: boolean): Promise<string | null> {
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
