// Converts issues and problems to the `--json` format. Separate from json.ts, so that an error does not load the API schemas.
import type { Problem } from '../failure.ts'
import type { ViewedIssue } from './issues.ts'

export function jsonIssue(issue: ViewedIssue) {
  return {
    code: issue.code,
    pointer: issue.pointer,
    severity: issue.severity,
    detail: issue.detail,
    ...(issue.hint === undefined ? {} : { hint: issue.hint }),
    ...(issue.path === undefined ? {} : { file: issue.path, line: issue.line, column: issue.column }),
  }
}

export function jsonProblem(problem: Problem) {
  return {
    error: {
      code: problem.code,
      title: problem.title,
      ...(problem.status === undefined ? {} : { status: problem.status }),
      detail: problem.detail,
      ...(problem.hint === undefined ? {} : { hint: problem.hint }),
      ...(problem.requestId === undefined || problem.requestId === null ? {} : { instance: problem.requestId }),
      ...(problem.errors === undefined || problem.errors.length === 0 ? {} : { errors: problem.errors.map(jsonIssue) }),
      ...(problem.processor === undefined || problem.processor === null ? {} : { processor: problem.processor }),
      ...problem.extra,
    },
  }
}
