// Parts of the suite that cannot run on this machine. Workers pass them to the reporter through one file per run.
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'

export interface SkippedPart {
  readonly part: string
  readonly reason: string
  readonly file?: string
  /** True if CI accepts the skip, because the part needs an account at another company, or is one test that depends on the machine. */
  readonly accepted?: boolean
}

const separator = '\t'
const root = path.resolve(import.meta.dirname, '../..')

function skipsFile(): string | undefined {
  return process.env['RATECARD_TEST_SKIPS']
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/**
 * Records that `part` (e.g. "store contract on PostgreSQL") is skipped, and why. Call it where the skip is decided, once per file. The
 * run ends with the list, and with `CI=true` the list is a failure, except for parts that need an account at another company (`account`). A test that is skipped while it runs (`context.skip(reason)`) is
 * listed without this call, and CI accepts it.
 */
export function announceSkip(part: string, reason: string, needs: 'nothing else' | 'account' = 'nothing else'): void {
  const file = skipsFile()
  if (file === undefined) throw new Error('announceSkip outside a test run')
  const test = path.relative(root, expect.getState().testPath ?? '')
  appendFileSync(file, `${[oneLine(part), oneLine(reason), test, needs].join(separator)}\n`)
}

/** Returns the recorded skips of this run, each once per test file, and clears them. */
export function takeSkips(): SkippedPart[] {
  const file = skipsFile()
  if (file === undefined || !existsSync(file)) return []
  const lines = new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean))
  rmSync(file)
  return [...lines].sort().map((line) => {
    const [part = '', reason = '', test = '', needs] = line.split(separator)
    return { part, reason, file: test, accepted: needs === 'account' }
  })
}
