// The server's hints name operations of the API; the command line names the commands that do the same.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { inCommands } from '../../packages/ratecard/src/cli/failure.ts'
import { commands } from '../../packages/ratecard/src/cli/program/commands.ts'

const source = path.join(import.meta.dirname, '../../packages/ratecard/src')
const rooms = ['acts', 'customers', 'push'].flatMap((room) => globSync(`${room}/**/*.ts`, { cwd: source }))
const hints = rooms.flatMap((file) =>
  [
    ...readFileSync(path.join(source, file), 'utf8').matchAll(/'([^'\n]*\b(?:GET|POST|PUT|DELETE) admin\/[^'\n]*)'/g),
  ].map(([, text = '']) => text),
)

test.each(hints)('the hint %j names a command that exists', (hint) => {
  const shown = inCommands(hint)
  expect(shown).not.toMatch(/(GET|POST|PUT|DELETE) admin/)
  const named = [...shown.matchAll(/`ratecard ([a-z- ]+)/g)].map(([, words = '']) => words.trim())
  expect(named.length).toBeGreaterThan(0)
  for (const words of named) expect(commands.map(({ name }) => name)).toContain(words)
})

test('a hint without an operation stays as it is', () => {
  expect(hints.length).toBeGreaterThan(4)
  expect(inCommands('Remove it first.')).toBe('Remove it first.')
})
