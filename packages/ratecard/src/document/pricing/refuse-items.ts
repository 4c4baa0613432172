import { invalidMembers } from '../../base/errors/invalid-members.ts'
import { pointerOf } from '../../base/errors/issue.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { ItemProblem } from './sold-together.ts'

/**
 * Throws if the items cannot be sold together. If some are prices that the caller may not buy, throws `price_not_found` with all of them;
 * otherwise throws `code` with all problems. `pathOf` returns the path of an item in the request, e.g. `['items', 0]`.
 */
export function refuseItems(
  problems: readonly ItemProblem[],
  code: 'checkout_invalid' | 'change_invalid',
  pathOf: (at: number) => readonly (string | number)[],
): void {
  const missing = problems.filter(({ kind }) => kind === 'not_found')
  if (missing[0] !== undefined)
    throw new ServiceError('price_not_found', missing[0].detail, {
      hint: missing[0].hint ?? undefined,
      issues: missing.map(({ at, field, detail, hint }) => ({
        code: 'reference_unknown',
        severity: 'error',
        detail,
        ...(hint === null ? {} : { hint }),
        pointer: pointerOf([...pathOf(at), field]),
      })),
    })
  const [problem, ...more] = problems.map(({ at, field, detail, hint }) => ({
    ...{ path: [...pathOf(at), field], detail },
    hint: hint ?? undefined,
  }))
  if (problem !== undefined) throw invalidMembers(code, [problem, ...more])
}
