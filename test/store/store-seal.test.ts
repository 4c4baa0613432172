import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ServiceError } from '../../packages/ratecard/src/base/errors/service-error.ts'
import { createSealer, generateMasterKey, loadOrCreateMasterKeyFile } from '../../packages/ratecard/src/store/seal.ts'

const context = 'secrets:webhook:we_1'

function unreadable(work: () => unknown): ServiceError {
  try {
    work()
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'secret_unreadable') return error
    throw error
  }
  throw new Error('It was read.')
}

describe('the encryption of stored secrets', () => {
  test('decrypts each text that it encrypted', () => {
    const sealer = createSealer(generateMasterKey())
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (plain, place) => {
        expect(sealer.open(sealer.seal(plain, place), place)).toBe(plain)
      }),
    )
  })

  test('encrypts the same text differently each time, and marks it with the version of the key', () => {
    const sealer = createSealer(`new:${generateMasterKey().slice(2)}`)
    const [one, two] = [sealer.seal('whsec_1', context), sealer.seal('whsec_1', context)]
    expect(one).not.toBe(two)
    expect(one).toMatch(/^v1\.new\.[A-Za-z0-9_-]+$/)
    expect(one).not.toContain('whsec')
  })

  test('refuses to decrypt a text that was encrypted for another record', () => {
    const sealer = createSealer(generateMasterKey())
    unreadable(() => sealer.open(sealer.seal('whsec_1', context), 'secrets:webhook:we_2'))
  })

  test('refuses to decrypt a text in which any character was altered', () => {
    const sealer = createSealer(generateMasterKey())
    const sealed = sealer.seal('whsec_1', context)
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom('A', 'b', '.', '2'), (at, letter) => {
        const altered = sealed.slice(0, at) + letter + sealed.slice(at + 1)
        // The last letter of base64 has unused bits, so the change must alter a byte.
        fc.pre(
          Buffer.from(altered.split('.')[2] ?? '', 'base64url').compare(
            Buffer.from(sealed.split('.')[2] ?? '', 'base64url'),
          ) !== 0,
        )
        unreadable(() => sealer.open(altered, context))
      }),
    )
    for (const cut of ['', 'v1', 'v1.1', 'v1.1.', 'v1.1.AAAA', sealed.slice(0, -4), 'whsec_plain'])
      unreadable(() => sealer.open(cut, context))
  })

  test('decrypts a text that was encrypted with an older key, and reports that this key is not the current key', () => {
    const [older, newer] = [generateMasterKey('1'), generateMasterKey('2')]
    const sealed = createSealer(older).seal('whsec_1', context)
    const both = createSealer(`${newer}, ${older}`)
    expect(both.open(sealed, context)).toBe('whsec_1')
    expect(both.isCurrent(sealed)).toBe(false)
    expect(both.isCurrent(both.seal('x', context))).toBe(true)
    expect(both.keyCount).toBe(2)
  })

  test('reports the missing key version in its error, and prints no key', () => {
    const sealed = createSealer(generateMasterKey('spring')).seal('whsec_1', context)
    const key = generateMasterKey('summer')
    const error = unreadable(() => createSealer(key).open(sealed, context))
    expect(error.message).toContain('spring')
    expect(JSON.stringify([error.message, error.hint])).not.toContain(key.split(':')[1])
  })

  test('refuses a malformed key without printing the key', () => {
    const good = generateMasterKey()
    const secret = 'c2VjcmV0LXRoYXQtaXMtdG9vLXNob3J0'
    for (const keys of [
      '',
      ',',
      secret,
      `1:${secret}`,
      `${good},`,
      `${good},2:${secret}`,
      `${good},${good}`,
      `1 2:${good.slice(2)}`,
    ]) {
      let message = ''
      try {
        createSealer(keys)
      } catch (error) {
        message = String(error)
      }
      expect([keys, message]).toEqual([keys, expect.stringMatching(/master key/)])
      expect(message).not.toContain(secret)
      expect(message).not.toContain(good.slice(2))
    }
  })
})

describe('the file with the master key', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-key-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  test('is created once, readable by its owner only', async () => {
    const file = path.join(folder, 'data', 'master-key')
    const keys = await loadOrCreateMasterKeyFile(file)
    expect(createSealer(keys).keyCount).toBe(1)
    expect(await loadOrCreateMasterKeyFile(file)).toBe(keys)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
    expect(readdirSync(path.dirname(file))).toEqual(['master-key'])
  })

  test('is the same for all processes that start at the same time', async () => {
    const file = path.join(folder, 'master-key')
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateMasterKeyFile(file)))
    expect(new Set(keys).size).toBe(1)
    expect(readFileSync(file, 'utf8').trim()).toBe(keys[0])
    expect(readdirSync(folder)).toEqual(['master-key'])
  })

  test('is not modified, even if it contains several keys, and its permissions are restricted to the owner', async () => {
    const file = path.join(folder, 'master-key')
    const keys = `${generateMasterKey('2')},${generateMasterKey('1')}`
    writeFileSync(file, `${keys}\n`, { mode: 0o644 })
    expect(await loadOrCreateMasterKeyFile(file)).toBe(keys)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('is not replaced if it cannot be read as a file', async () => {
    await expect(loadOrCreateMasterKeyFile(folder)).rejects.toThrow()
    expect(existsSync(folder)).toBe(true)
    expect(readdirSync(folder)).toEqual([])
  })
})
