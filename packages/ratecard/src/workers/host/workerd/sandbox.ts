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

/** The strictest mode that works here (`auto`), or exactly the one asked for; rejects when that one does not work. */
export async function chooseSandbox(setting: 'auto' | SandboxMode, binary: string): Promise<Sandbox> {
  const root = process.getuid?.() === 0
  const candidates = setting === 'auto' ? (['namespaces', 'uid', 'none'] as const) : [setting]
  const reasons: string[] = []
  for (const mode of candidates) {
    const sandbox = sandboxOf(mode, root)
    const reason = sandbox === null ? `${mode} needs root and util-linux on Linux` : await trial(sandbox, binary)
    if (sandbox !== null && reason === null) return sandbox
    reasons.push(reason ?? '')
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

/** Runs the real binary in the real confinement: a folder the other user cannot enter shows here and not at the first deploy. */
function trial(sandbox: Sandbox, binary: string): Promise<string | null> {
  const [command, ...args] = sandbox.command(binary, ['--version'], 0)
  return new Promise((resolve) => {
    execFile(command, args, { env: {}, timeout: 10_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error === null && stdout.startsWith('workerd ')) resolve(null)
      else resolve(`${sandbox.mode}: ${stderr.trim().split('\n')[0] || (error?.message ?? 'no answer')}`)
    })
  })
}
