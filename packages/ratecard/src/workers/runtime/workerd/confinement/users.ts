// Assigns user ids to worker processes. No two worker processes on this machine have the same user at a time, even if they belong to
// different services.
import { link, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { startTimeOf } from './sweep.ts'

const firstUser = 64_000
const users = 1_000

/** User id of one process. No other process gets it until `release` is called. */
export interface ClaimedUser {
  readonly id: number
  release(): Promise<void>
}

export interface Users {
  /** Claims a free user id; rejects if all ids are taken. */
  claim(): Promise<ClaimedUser>
}

/**
 * Opens the folder with the claims of user ids. A claim is a file, and only root can write to the folder. Releases the claims of crashed
 * services.
 */
export async function openUsers(folder?: string): Promise<Users> {
  const place = folder ?? (await claimsFolder())
  await freeStale(place)
  const owner = `${String(process.pid)} ${await startTimeOf(process.pid)}`
  let next = firstUser
  return {
    async claim() {
      for (let tried = 0; tried < users; tried++) {
        const id = next
        next = id + 1 < firstUser + users ? id + 1 : firstUser
        const file = path.join(place, String(id))
        if (await createNew(file, owner)) return { id, release: () => rm(file, { force: true }) }
      }
      throw new Error(`More than ${String(users)} worker processes cannot run at once on one machine.`)
    },
  }
}

async function claimsFolder(): Promise<string> {
  for (const parent of ['/run', os.tmpdir()]) {
    const folder = path.join(parent, 'ratecard-worker-users')
    const made = await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => error as NodeJS.ErrnoException)
    if (made !== undefined && made.code !== 'EEXIST') continue
    const state = await lstat(folder)
    if (state.isDirectory() && state.uid === process.getuid?.() && (state.mode & 0o022) === 0) return folder
  }
  throw new Error('No folder was found in which an operating-system user can be reserved for a worker process.')
}

async function createNew(file: string, owner: string): Promise<boolean> {
  try {
    await writeFile(file, owner, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function freeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const owner = await readFile(file, 'utf8').catch(() => null)
    if (owner === null || (await processLives(owner))) continue
    // Another service may have replaced this file after it was read. If the moved file has other content, put it back.
    const taken = path.join(folder, `.${name}-${String(process.pid)}`)
    await rename(file, taken).catch(() => undefined)
    const content = await readFile(taken, 'utf8').catch(() => owner)
    if (content !== owner) await link(taken, file).catch(() => undefined)
    await rm(taken, { force: true })
  }
}

async function processLives(owner: string): Promise<boolean> {
  const [pid = '', startTime = ''] = owner.split(' ')
  return startTime !== '' && (await startTimeOf(Number(pid))) === startTime
}
