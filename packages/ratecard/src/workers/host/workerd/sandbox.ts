// How one workerd process is confined. The runtime calls itself no hardened sandbox, so the process holds as little as the
// system allows: no user of ours, no capabilities, no network but the egress socket.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'

export type SandboxMode = 'namespaces' | 'uid' | 'none'

export interface Sandbox {
  readonly mode: SandboxMode
  /** For people, at start and in health checks. */
  readonly detail: string
  /** The user of process number `slot`; null keeps the service's own. Each process has another, so none may signal or trace another. */
  userOf(slot: number): number | null
  command(binary: string, args: readonly string[], slot: number): readonly [string, ...string[]]
  /** The runtime is then the child of what was spawned, not the spawned process itself. */
  readonly forks: boolean
}

const firstUser = 64_000
export const userSlots = 1_000

const drop = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--clear-groups']
const isolate = ['--net', '--ipc', '--uts', '--pid', '--fork', '--kill-child']

export interface Confinement {
  readonly sandbox: Sandbox
  /** The runtime's executable, at a path that the processes can open. */
  readonly binary: string
}

/**
 * The strictest mode that works here (`auto`), or exactly the one asked for; rejects when that one does not work. `copy` puts
 * the executable where every user can open it; it is called only when the installed one cannot be.
 */
export async function chooseSandbox(
  setting: 'auto' | SandboxMode,
  installed: string,
  copy: () => Promise<string>,
): Promise<Confinement> {
  const root = process.getuid?.() === 0
  const candidates = setting === 'auto' ? (['namespaces', 'uid', 'none'] as const) : [setting]
  const reasons: string[] = []
  let copied: Promise<string> | undefined
  for (const mode of candidates) {
    const sandbox = sandboxOf(mode, root)
    if (sandbox === null) {
      reasons.push(`${mode} needs root and util-linux on Linux`)
      continue
    }
    const otherUser = sandbox.userOf(0) !== null
    const installedFails = await trial(sandbox, installed, otherUser)
    if (installedFails === null) return { sandbox, binary: installed }
    if (!otherUser) {
      reasons.push(installedFails)
      continue
    }
    const binary = await (copied ??= copy())
    const copyFails = await trial(sandbox, binary, false)
    if (copyFails === null) return { sandbox, binary }
    reasons.push(copyFails)
  }
  throw new Error(`workers cannot be started here: ${reasons.join('; ')}`)
}

function sandboxOf(mode: SandboxMode, root: boolean): Sandbox | null {
  const setpriv = find('setpriv')
  const unshare = find('unshare')
  if (mode === 'none') return unconfined(setpriv)
  if (process.platform !== 'linux' || setpriv === null) return null
  if (mode === 'uid') return root ? otherUser(setpriv) : null
  if (unshare === null || !existsSync(`/proc/self/task/${process.pid}/children`)) return null
  return root ? rootNamespaces(setpriv, unshare) : userNamespaces(setpriv, unshare)
}

function unconfined(setpriv: string | null): Sandbox {
  return {
    mode: 'none',
    detail: 'Workers run as processes of the same user, without a sandbox of their own.',
    userOf: () => null,
    command: (binary, args) =>
      setpriv === null ? [binary, ...args] : [setpriv, '--pdeathsig', 'KILL', '--', binary, ...args],
    forks: false,
  }
}

function otherUser(setpriv: string): Sandbox {
  return {
    mode: 'uid',
    detail: 'Each worker runs as an unprivileged user of its own; its network is closed by the runtime only.',
    userOf: (slot) => firstUser + slot,
    command: (binary, args, slot) => [setpriv, ...asUser(firstUser + slot), '--', binary, ...args],
    forks: false,
  }
}

function rootNamespaces(setpriv: string, unshare: string): Sandbox {
  return {
    mode: 'namespaces',
    detail: 'Each worker runs as an unprivileged user of its own in an empty network namespace.',
    userOf: (slot) => firstUser + slot,
    command: (binary, args, slot) => [
      ...([setpriv, '--pdeathsig', 'KILL', '--', unshare, ...isolate, '--'] as const),
      ...[setpriv, ...asUser(firstUser + slot), '--', binary, ...args],
    ],
    forks: true,
  }
}

function userNamespaces(setpriv: string, unshare: string): Sandbox {
  return {
    mode: 'namespaces',
    detail: 'Each worker runs in an empty network namespace, as the user of the service.',
    userOf: () => null,
    command: (binary, args) => [
      ...([unshare, '--user', '--map-current-user', ...isolate, '--'] as const),
      ...[setpriv, '--no-new-privs', '--inh-caps=-all', '--pdeathsig', 'KILL', '--', binary, ...args],
    ],
    forks: true,
  }
}

/** `--pdeathsig` stands here once more: the kernel clears it when the user changes. */
function asUser(user: number): string[] {
  return [`--reuid=${user}`, `--regid=${user}`, ...drop, '--pdeathsig', 'KILL']
}

function find(name: string): string | null {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((folder) => `${folder}/${name}`).find(existsSync) ?? null
}

/**
 * Runs the real binary in the real confinement, so that what is missing shows here and not at the first deploy. `silent`: a
 * word on standard error counts as failure, as the runtime complains there when its user cannot enter the folder that it lies in.
 */
function trial(sandbox: Sandbox, binary: string, silent: boolean): Promise<string | null> {
  const [command, ...args] = sandbox.command(binary, ['--version'], 0)
  return new Promise((resolve) => {
    execFile(command, args, { env: {}, timeout: 10_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error === null && stdout.startsWith('workerd ') && (stderr === '' || !silent)) resolve(null)
      else resolve(`${sandbox.mode}: ${stderr.trim().split('\n')[0] || (error?.message ?? 'no answer')}`)
    })
  })
}
