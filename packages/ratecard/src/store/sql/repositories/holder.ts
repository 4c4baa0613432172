// Which process holds a lease, so that one that died on this very machine need not be waited for. Only Linux tells enough;
// elsewhere, and on other machines, the lease's time decides alone.
import { readFileSync, readlinkSync } from 'node:fs'

/** `<boot>/<pid namespace>/<pid>/<start>`: the same words never name another process. null where the system does not tell. */
export const thisProcess: string | null = describe(process.pid)

/** True only when it is certain: this boot, this pid namespace, and no such process any more. */
export function isDead(holder: string): boolean {
  if (thisProcess === null) return false
  const [boot, namespace, pid] = holder.split('/')
  const [myBoot, myNamespace] = thisProcess.split('/')
  if (boot !== myBoot || namespace !== myNamespace || pid === undefined) return false
  return describe(Number(pid)) !== holder
}

function describe(pid: number): string | null {
  const boot = read('/proc/sys/kernel/random/boot_id')
  const namespace = link('/proc/self/ns/pid')
  if (boot === null || namespace === null) return null
  // Field 22 is the start time; the name in brackets before it may hold spaces. A zombie (Z) has ended.
  const fields = read(`/proc/${String(pid)}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')
  const ended = fields === undefined || fields[0] === 'Z'
  return `${boot}/${namespace}/${String(pid)}/${ended ? 'ended' : (fields[19] ?? '')}`
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    // No such process, or no /proc at all: both are answers.
    return null
  }
}

function link(file: string): string | null {
  try {
    return readlinkSync(file)
  } catch {
    // No /proc: nothing can be said of other processes.
    return null
  }
}
