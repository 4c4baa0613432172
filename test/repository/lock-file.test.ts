// Content of the lock file that npm does not write by itself.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const json = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>

test('packages with prebuilt binaries are marked `gypfile: false` in package-lock.json, so that npm does not compile them', () => {
  const { packages } = json(path.join(root, 'package-lock.json')) as {
    packages: Record<string, { gypfile?: boolean }>
  }
  const prebuilt = Object.keys(packages).filter((place) => {
    const folder = path.join(root, place)
    return existsSync(path.join(folder, 'binding.gyp')) && json(path.join(folder, 'package.json'))['gypfile'] === false
  })
  expect(prebuilt).toContain('node_modules/better-sqlite3')
  for (const place of prebuilt) expect([place, packages[place]?.gypfile]).toEqual([place, false])
})
