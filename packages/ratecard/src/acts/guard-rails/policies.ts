// Reads and replaces the policies.
import type { Actor } from '../../api/notation/callers.ts'
import type { PageQuery } from '../../store/records/page.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { readPolicies } from '../../catalog/policies/read-policies.ts'
import { byOf, keyOf } from '../../store/records/actor.ts'
import type { GuardDeps } from './guard.ts'
import type { PolicySet } from '../../api/push/policies.ts'
import type { PolicyRecord } from '../../store/records/configuration.ts'

export function createPolicies({ store, clock, environment }: GuardDeps) {
  return {
    async policies(page: PageQuery) {
      const { items, total } = await store.policies.list(page)
      const current = page.offset === 0 ? (items[0] ?? null) : await store.policies.current()
      return {
        ...shownSet(current, environment),
        history: items.map((record) => ({ ...shownRecord(record), createdAt: record.createdAt })),
        total,
      }
    },
    /** Replaces the policies. Throws `policies_invalid`. If the policies are equal to the present ones, does nothing. */
    async setPolicies(document: unknown, { author, by, message }: Actor) {
      const { policies, issues } = readPolicies(document)
      if (policies === null) {
        const many = issues.length === 1 ? 'problem' : 'problems'
        throw new ServiceError('policies_invalid', `The policies have ${String(issues.length)} ${many}.`, {
          hint: 'Correct them and send them again. The earlier policies still apply.',
          issues,
        })
      }
      const rules = JSON.stringify(policies.rules)
      const current = await store.policies.current()
      if (current?.rules === rules) return shownSet(current, environment)
      const record = { rules, author, message, ...keyOf(by), createdAt: clock.now() }
      return shownSet(await store.policies.add(record), environment)
    },
  }
}

function shownSet(record: PolicyRecord | null, environment: string | null): PolicySet {
  if (record === null)
    return { number: 0, rules: [], environment, createdAt: null, author: null, by: null, message: null }
  return { ...shownRecord(record), environment, createdAt: record.createdAt }
}

function shownRecord(record: PolicyRecord) {
  const { number, author, message } = record
  return { number, rules: JSON.parse(record.rules) as PolicySet['rules'], author, by: byOf(record), message }
}
