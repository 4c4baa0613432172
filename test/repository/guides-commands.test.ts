// After `npm install ratecard` in a project, the command `ratecard` is not on the path. So guides write `npx ratecard`.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commands } from '../../packages/ratecard/src/cli/program/commands.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guides = globSync(['README.md', 'docs/guides/*.md', 'examples/*/README.md'], { cwd: root })
const words = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
/** Does not match a path (`bin/ratecard`), a package (`@ratecard`) or a container of that name. */
const bare = new RegExp(`(?<!npx )(?<![\\w/@.-])ratecard (?:${words.join('|')})\\b.*`, 'g')

test.each(guides)('the guide %s writes each command as `npx ratecard`', (guide) => {
  expect(readFileSync(path.join(root, guide), 'utf8').match(bare) ?? []).toEqual([])
})

test('the check of commands in guides covers more than 12 guides', () => {
  expect(guides.length).toBeGreaterThan(12)
})
