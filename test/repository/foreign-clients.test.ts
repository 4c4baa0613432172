import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { authPlugin, sdk, syncEngine, triggers } from '../sandbox/clients/outcomes.ts'

/** Returns the packages that a lock file installs as `packages/<folder>/package.json` names them, e.g. `stripe 22.6.2`. */
function pinned(folder: string): string[] {
  const file = path.resolve(import.meta.dirname, '../sandbox/clients/packages', folder, 'package.json')
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8')) as { readonly dependencies: Record<string, string> }
  return Object.entries(dependencies).map(([name, version]) => {
    const [, alias = name, exact = version] = /^npm:(.+)@(.+)$/.exec(version) ?? []
    return `${alias} ${exact}`
  })
}

test.each([
  ['sdk', sdk],
  ['sync-engine', syncEngine],
  ['auth-plugin', authPlugin],
  ['command-line-tool', triggers],
])('the page about other programs contains the versions of %s that the tests install', (folder, { versions }) => {
  expect(pinned(folder)).toEqual(expect.arrayContaining([...versions]))
})
