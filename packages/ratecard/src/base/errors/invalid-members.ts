import type { ProblemCode } from './codes.ts'
import { pointerOf } from './issue.ts'
import { ServiceError } from './service-error.ts'

/** A problem of one member of a request. `path` has the member's names in the API, e.g. `['items', 0, 'quantity']`. */
export interface InvalidMember {
  readonly path: readonly (string | number)[]
  readonly detail: string
  readonly hint?: string | undefined
}

/** Creates an error that lists all problems of a request. The error's own text is that of the first problem. */
export function invalidMembers(code: ProblemCode, members: readonly [InvalidMember, ...InvalidMember[]]): ServiceError {
  const hinted = ({ hint }: InvalidMember) => (hint === undefined ? {} : { hint })
  return new ServiceError(code, members[0].detail, {
    ...hinted(members[0]),
    issues: members.map((member) => ({
      ...{ code: 'value_invalid' as const, pointer: pointerOf(member.path), severity: 'error' as const },
      detail: member.detail,
      ...hinted(member),
    })),
  })
}
