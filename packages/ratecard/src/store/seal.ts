// Encryption of secrets at rest: AES-256-GCM with master keys that have versions. A sealed text is bound to its table and id, so that it
// cannot be copied to another row. The caller decides which values are secrets.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ServiceError } from '../base/errors/service-error.ts'

export interface Sealer {
  /** Encrypts a text. `context` is the row (table and id) that the text is bound to; {@link Sealer.open} needs the same context. */
  seal(plain: string, context: string): string
  /** Decrypts a text. Throws ServiceError `secret_unreadable` if the text was sealed with another master key or context, or was altered. */
  open(sealed: string, context: string): string
  /** True if the text was sealed with the newest master key. */
  isCurrent(sealed: string): boolean
  /** Number of master keys. More than one means that a key rotation is in progress. */
  readonly keyCount: number
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const form = 'v1'

/**
 * Creates a sealer, which encrypts secrets for the store. `keys` is a comma-separated list of `<version>:<base64 of 32 bytes>`, newest
 * first. Texts are encrypted with the first key, and can be decrypted with any of the keys. Throws ServiceError `settings_invalid` with the
 * number of the invalid item, never with its content.
 */
export function createSealer(keys: string): Sealer {
  const byVersion = parseKeys(keys)
  const [newest] = byVersion
  if (newest === undefined) throw masterKeyInvalid('The master key is empty.')
  const [newestVersion, newestKey] = newest
  const prefix = `${form}.${newestVersion}.`
  return {
    keyCount: byVersion.size,
    isCurrent: (sealed) => sealed.startsWith(prefix),
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, newestKey, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(prefix + context))
      const body = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return prefix + body.toString('base64url')
    },
    open(sealed, context) {
      const [found, version = '', body = ''] = sealed.split('.')
      if (found !== form) throw secretUnreadable(context, 'its format is unknown to this release')
      const key = byVersion.get(version)
      if (key === undefined) throw secretUnreadable(context, `it was sealed under master key version "${version}"`)
      return decrypt(key, Buffer.from(body, 'base64url'), `${form}.${version}.${context}`, context)
    },
  }
}

/** Generates a master key in the form that {@link createSealer} accepts. For a rotation, `version` must differ from the versions in use. */
export function generateMasterKey(version = '1'): string {
  return `${version}:${randomBytes(32).toString('base64')}`
}

/**
 * Returns the master keys in the file. If there is no file, creates it (file mode 0600, directory mode 0700). Processes that start at the
 * same time agree on one key: the file gets its name (by a hard link) only after its bytes are on disk, so no process reads a partial key.
 */
export async function loadOrCreateMasterKeyFile(path: string): Promise<string> {
  const present = await readKeyFile(path)
  if (present !== null) return present
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`
  try {
    await writeDurably(draft, `${generateMasterKey()}\n`)
    await link(draft, path)
    await syncDirectory(dirname(path))
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
  const made = await readKeyFile(path)
  if (made === null) throw new Error(`The master key file ${path} vanished while it was made.`)
  return made
}

function parseKeys(keys: string): Map<string, Buffer> {
  const byVersion = new Map<string, Buffer>()
  const items = keys.split(',').map((item) => item.trim())
  for (const [index, item] of items.entries()) {
    const [, version, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]{43}=?)$/.exec(item) ?? []
    if (version === undefined || encoded === undefined)
      throw masterKeyInvalid(`Item ${String(index + 1)} of the master key is not <version>:<base64 of 32 bytes>.`)
    if (byVersion.has(version)) throw masterKeyInvalid(`The master key has version "${version}" twice.`)
    byVersion.set(version, Buffer.from(encoded, 'base64'))
  }
  return byVersion
}

function masterKeyInvalid(what: string): ServiceError {
  return new ServiceError('settings_invalid', what, {
    hint: 'It is in RATECARD_MASTER_KEY, or else in the file `master-key` of the data directory.',
  })
}

function decrypt(key: Buffer, body: Buffer, additional: string, context: string): string {
  if (body.length < nonceBytes + tagBytes) throw secretUnreadable(context, 'it is incomplete')
  const decipher = createDecipheriv(algorithm, key, body.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(additional))
  decipher.setAuthTag(body.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(body.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
  } catch {
    throw secretUnreadable(context, 'another key sealed it, or it was altered')
  }
}

function secretUnreadable(context: string, why: string): ServiceError {
  return new ServiceError('secret_unreadable', `The secret ${context} cannot be read: ${why}.`, {
    hint: 'Use the master key that belongs to this store. After a rotation, keep the earlier keys in the list, after the newest one.',
  })
}

async function readKeyFile(path: string): Promise<string | null> {
  try {
    const text = (await readFile(path, 'utf8')).trim()
    if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600)
    return text
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and does not need it: a new file name is durable there without syncing the directory.
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
