import { lstat, mkdtemp, readFile, readdir, rm, writeFile, chmod } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

const prefix = 'rcw-'

/**
 * Creates the folder that contains the folders of all worker processes of this service. Other users may pass through it but not list it.
 */
export async function createRoot(): Promise<string> {
  const parent = os.tmpdir().length < 60 ? os.tmpdir() : '/tmp'
  const root = await mkdtemp(path.join(parent, prefix))
  await chmod(root, 0o711)
  await writeFile(path.join(root, 'owner'), `${process.pid} ${await startTimeOf(process.pid)}`, { mode: 0o600 })
  return root
}

/** Kills processes and removes folders left behind by services that crashed. */
export async function sweepOrphans(): Promise<void> {
  const parent = os.tmpdir().length < 60 ? os.tmpdir() : '/tmp'
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter((item) => item.startsWith(prefix))) {
    const root = path.join(parent, name)
    const state = await lstat(root).catch(() => null)
    if (state?.isDirectory() !== true || state.uid !== process.getuid?.()) continue
    const owner = await readFile(path.join(root, 'owner'), 'utf8').catch(() => null)
    if (owner === null) continue
    const [pid = '', startTime = ''] = owner.split(' ')
    if ((await startTimeOf(Number(pid))) === startTime) continue
    await sweepRoot(root)
  }
}

async function sweepRoot(root: string): Promise<void> {
  // Ignores files that no longer exist, because another service that starts at the same time may sweep the same folder.
  for (const name of await readdir(root).catch(() => [])) {
    const folder = path.join(root, name)
    const pid = Number(await readFile(path.join(folder, 'pid'), 'utf8').catch(() => ''))
    if (!Number.isInteger(pid) || pid <= 1) continue
    // Kills the process only if its arguments contain the random name of the folder. Otherwise the pid now belongs to another process.
    const args = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (args.includes(`${folder}/`)) killIfRunning(pid)
  }
  await rm(root, { recursive: true, force: true })
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Returns the start time of a process. Together with the pid it identifies a process uniquely. '' if the process or /proc does not exist.
 */
export async function startTimeOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
