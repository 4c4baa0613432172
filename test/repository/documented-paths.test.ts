// Every file and folder that the guides for contributors name exists.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guides = ['ARCHITECTURE.md', 'CONTRIBUTING.md']

/** Named in the guides as a file that must not exist. */
const unwanted = 'index.ts'
/** Folders that a build creates. */
const built = /(?:^|\/)(?:bundle|dist)(?:\/|$)/

// The pattern `**` does not match folders that begin with a dot.
const places = ['**', '.*', '.ci/*', '.github/**', 'site/.vitepress/*']
const skipped = new Set(['node_modules', 'dist', 'bundle', '.git'])
const present = globSync(places, { cwd: root, exclude: (name) => skipped.has(path.basename(name)) }).map(
  (name) => `/${name.split(path.sep).join('/')}`,
)

/** Matches names of files and folders such as `catalog/fields/<kind>.ts`, `tables.ts` and `store/`, and no other code. */
const looksLikePath = /^(?=.*(?:\/|\.(?:ts|tsx|mjs|cjs|json|yaml|css|md)$))[\w.<>*-]+(?:\/[\w.<>*-]+)*\/?$/

function isPresent(name: string): boolean {
  const parts = name.replace(/\/$/, '').split(/<\w+>|\*+/)
  const pattern = new RegExp(`/${parts.map((part) => part.replace(/\./g, '\\.')).join('[^/]+')}$`)
  return present.some((one) => pattern.test(one))
}

test.each(guides)('each repository path that %s names exists', (guide) => {
  const named = [...readFileSync(path.join(root, guide), 'utf8').matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)
  const paths = [...new Set(named)].filter((name) => looksLikePath.test(name) && !built.test(name) && name !== unwanted)
  expect(paths.length).toBeGreaterThan(40)
  expect(paths.filter((name) => !isPresent(name))).toEqual([])
})
