// Identity of the process that holds a lease. If that process has died on this machine, the lease is free at once. If the process cannot be
// checked (another machine, another container, a hidden /proc), the lease is free only after its TTL. Only Linux identifies processes
// reliably enough.
import { readFileSync, readlinkSync } from 'node:fs'

/** Identity of this process: `<boot>/<pid namespace>+<time namespace>/<pid>/<start>`. null if the system does not provide all parts. */
export const thisProcess: string | null = describeThis()

/**
 * True only if the holder is a process of this boot and pid namespace, and has certainly ended. A missing /proc entry alone is no proof:
 * under `hidepid=2` or `ProtectProc=invisible`, running processes of other users have no entry. So the pid is also checked with signal 0,
 * which these options do not affect.
 */
export function isDead(holder: string): boolean {
  if (thisProcess === null) return false
  const [boot, namespaces, pid, start] = holder.split('/')
  const [myBoot, myNamespaces] = thisProcess.split('/')
  if (boot !== myBoot || namespaces !== myNamespaces || !/^[1-9]\d*$/.test(pid ?? '')) return false
  if (!processExists(Number(pid))) return true
  const found = processStat(Number(pid))
  // A zombie (Z) cannot write anything. A different start time means that the pid was reused.
  return found !== null && (found.state === 'Z' || found.start !== start)
}

function describeThis(): string | null {
  const boot = read('/proc/sys/kernel/random/boot_id')
  const namespaces = ['pid', 'time'].map((kind) => readLink(`/proc/self/ns/${kind}`))
  // Kernels before 5.6 have no time namespaces, so a missing time namespace is accepted. Without a pid namespace, processes cannot be
  // compared.
  if (boot === null || namespaces[0] === null) return null
  // /proc may belong to another pid namespace (e.g. after `unshare --pid` without mounting a new /proc). Then its pids are those of other
  // processes.
  if (readLink('/proc/self') !== String(process.pid)) return null
  const own = processStat(process.pid)
  return own && `${boot}/${namespaces.join('+')}/${String(process.pid)}/${own.start}`
}

/** Returns false only if this pid namespace has no process with the pid. A process that exists but may not be signalled gives EPERM. */
function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function processStat(pid: number): { readonly state: string; readonly start: string } | null {
  // The process name is in brackets and may contain spaces. After it come the fields 3 (state) to 22 (start time).
  const fields = read(`/proc/${String(pid)}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')
  const [state, start] = [fields?.[0], fields?.[19]]
  return state === undefined || start === undefined ? null : { state, start }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    // The process is hidden or has ended, or there is no /proc at all: these cases cannot be distinguished.
    return null
  }
}

function readLink(file: string): string | null {
  try {
    return readlinkSync(file)
  } catch {
    // There is no /proc, or the kernel does not have this kind of namespace.
    return null
  }
}
