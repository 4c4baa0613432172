// Reads `ratecard/policies.json` and checks it, with positions of its errors.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { codeFrame } from '../../document/files/code-frame.ts'
import { parseSource } from '../../document/files/source.ts'
import type { Issue } from '../../base/errors/issue.ts'
import { readPolicies } from '../../catalog/policies/read-policies.ts'
import type { Policies } from '../../document/schema/policies/policy-rules.ts'
import type { CliIo } from '../terminal/io.ts'
import { findProject } from './project.ts'
import type { FiledIssue } from './read-config.ts'
import { readText } from './read-text.ts'

const policiesPath = path.join('ratecard', 'policies.json')

export interface PoliciesFile {
  /** Path for display. */
  readonly path: string
  /** Null if the file has errors. */
  readonly policies: Policies | null
  readonly errors: readonly FiledIssue[]
  place(issues: readonly Issue[]): readonly FiledIssue[]
}

/** Reads the policies file that is named, otherwise the project's. Returns null if there is no such file. */
export function readPoliciesFile(io: CliIo, named?: string): PoliciesFile | null {
  const project = findProject(io.cwd)
  const file =
    named === undefined ? (project === null ? null : path.join(project, policiesPath)) : path.resolve(io.cwd, named)
  if (file === null || (named === undefined && !existsSync(file))) return null
  const relative = path.relative(io.cwd, file)
  const shown = (relative.startsWith('..') ? file : relative).replaceAll('\\', '/')
  const source = parseSource({ path: shown, text: readText(file) })
  const place = (issues: readonly Issue[]): readonly FiledIssue[] =>
    issues.map((issue) => {
      const position = source.locate(issue.pointer)
      if (position === undefined) return issue
      const { line, column } = position
      return { ...issue, path: shown, line, column, frame: codeFrame(source.text, line, column) }
    })
  if (source.document === undefined || source.issues.length > 0) {
    const errors = source.issues.map((issue) => ({ ...issue, frame: codeFrame(source.text, issue.line, issue.column) }))
    return { path: shown, policies: null, errors, place }
  }
  const { policies, issues } = readPolicies(source.document)
  return { path: shown, policies, errors: place(issues), place }
}
