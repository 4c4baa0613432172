// Files with generated keys: in the data folder, and copies in the home folder, where the CLI finds them by the port in the path.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import type { Settings } from '../settings.ts'

/** File name of the key of the embedded sandbox, in the data folder. */
export const embeddedKeyFile = 'sandbox-key'

const keyFileOf = ({ dataDir }: Settings): string => path.join(dataDir, 'service-key')

/** Writes a generated key to the data folder. Called before the key is valid and before the service listens, so that it cannot be lost. */
export function keepFirstKey(settings: Settings, key: string): void {
  writeKey(keyFileOf(settings), key)
}

function writeKey(file: string, key: string): void {
  writeFileSync(file, `${key}\n`, { mode: 0o600 })
}

/**
 * Copies a generated key from the data folder to the home folder, where the CLI finds it by the port in the path. Returns the paths of both
 * files.
 */
export function keepKeyInHome(settings: Settings, port: string): string[] {
  const inData = keyFileOf(settings)
  const inHome = path.join(homedir(), '.ratecard', 'servers', port, 'service-key')
  if (settings.serviceKey !== null) {
    // No key was generated. Remove the file of an earlier server on this port, because the key in it is not valid here.
    rmSync(inHome, { force: true })
    return []
  }
  const key = readFileText(inData)
  if (key === '') return []
  try {
    makePrivate(path.dirname(inHome))
    writeKey(inHome, key)
    return [inData, inHome]
  } catch {
    // There is no home folder, or it is read-only. Then the key is in the data directory only.
    return [inData]
  }
}

/** Writes the address of the sandbox to the home folder, because users rarely run commands in the server's folder. */
export function keepSandboxAddress(settings: Settings, port: string, url: string | null): void {
  const inHome = path.join(homedir(), '.ratecard', 'servers', port, 'sandbox.json')
  try {
    if (url === null) {
      rmSync(inHome, { force: true })
      return
    }
    makePrivate(path.dirname(inHome))
    const key = readFileText(path.join(settings.dataDir, embeddedKeyFile))
    writeFileSync(inHome, `${JSON.stringify({ url, key })}\n`, { mode: 0o600 })
  } catch {
    // There is no home folder, or it is read-only. Commands then need `--key` and `--url`.
  }
}

export function readFileText(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
}

/**
 * Creates a folder and its missing parents, readable by this user only. Does not use the option `recursive` of `mkdirSync`, which never
 * returns for a new folder in e.g. /proc: the system reports that the parent is missing, and Node creates the parent again and again.
 */
export function makePrivate(directory: string): void {
  const parent = path.dirname(directory)
  if (parent !== directory && !existsSync(parent)) makePrivate(parent)
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
  }
}
