// Operations on policies, and how a change is held to them.
import type { PageQuery } from '../../store/records/page.ts'
import type { By } from '../../store/records/actor.ts'
import type * as policies from '../push/policies.ts'
import type { Inside } from '../notation/schema.ts'

export type PolicySet = Inside<typeof policies.PolicySet>
export type PolicyHistory = Omit<Inside<typeof policies.PolicyHistory>, 'pagination'> & { readonly total: number }

export interface PolicyOperations {
  policies(page: PageQuery): Promise<PolicyHistory>
  /** Replaces the policies. Throws `policies_invalid`. If the policies are equal to the present ones, does nothing. */
  setPolicies(
    document: unknown,
    actor: { readonly author: string | null; readonly by: By | null; readonly message: string | null },
  ): Promise<PolicySet>
}
