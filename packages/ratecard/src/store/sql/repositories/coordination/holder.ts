// Identity of the process that holds a lease, so that the lease of a process that died on this machine is free at once. Only Linux gives
// enough evidence. Without evidence (another machine, another container, a hidden /proc) only the lease's TTL decides.
import { readFileSync, readlinkSync } from 'node:fs'

/** `<boot>/<pid namespace>+<time namespace>/<pid>/<start>`: unique to one process. Null if the system does not provide all of it. */
export const thisProcess: string | null = describeThis()

/**
 * True only for a process of this boot and pid namespace that has certainly ended. For example a replica of another user under `hidepid=2`
 * or `ProtectProc=invisible` has no visible /proc entry while it runs, so a missing entry alone is no evidence: signal 0, which those
 * options do not filter, checks the pid.
 */
export function isDead(holder: string): boolean {
  if (thisProcess === null) return false
  const [boot, namespaces, pid, start] = holder.split('/')
  const [myBoot, myNamespaces] = thisProcess.split('/')
  if (boot !== myBoot || namespaces !== myNamespaces || !/^[1-9]\d*$/.test(pid ?? '')) return false
  if (!exists(Number(pid))) return true
  const found = stat(Number(pid))
  // A zombie (Z) writes nothing more; another start time means that the pid was reused.
  return found !== null && (found.state === 'Z' || found.start !== start)
}

function describeThis(): string | null {
  const boot = read('/proc/sys/kernel/random/boot_id')
  const namespaces = ['pid', 'time'].map((kind) => link(`/proc/self/ns/${kind}`))
  // Kernels before 5.6 have no time namespaces; without a pid namespace nothing can be compared.
  if (boot === null || namespaces[0] === null) return null
  // A /proc of another pid namespace (`unshare --pid` without a new /proc) numbers other processes.
  if (link('/proc/self') !== String(process.pid)) return null
  const own = stat(process.pid)
  return own && `${boot}/${namespaces.join('+')}/${String(process.pid)}/${own.start}`
}

/** False only if the kernel has no such process in this pid namespace: a process that may not be signalled exists (EPERM). */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function stat(pid: number): { readonly state: string; readonly start: string } | null {
  // The name in brackets may contain spaces; after it come fields 3 (state) to 22 (start time).
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
    // Hidden, ended, or no /proc at all: these cases cannot be distinguished.
    return null
  }
}

function link(file: string): string | null {
  try {
    return readlinkSync(file)
  } catch {
    // No /proc, or a kernel without this kind of namespace.
    return null
  }
}
