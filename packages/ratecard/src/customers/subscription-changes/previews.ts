// Stores previews of changes. A change can be made at the amounts of its preview for a limited time. Previews are kept in the store and not by
// the caller, because a caller could alter the time from which the change is prorated.
import { previewMinutes } from '../../api/server/limits.ts'
import type { BilledNow } from './decide/billed-now.ts'
import { findKept, keep, type Kept, type KeptDeps } from './kept/kept.ts'
import type { ChangePreview } from '../../api/customers/subscription-changes.ts'

/** Time (ms of the customer's clock) for which a preview is fresh. */
export const previewLifetimeMs = previewMinutes * 60_000

export interface KeptPreview extends Kept {
  readonly subscription: string
  /** Moment from which the change is prorated, by the customer's clock. */
  readonly at: number
  readonly fingerprint: string
  /** What was shown. */
  readonly shown: Omit<ChangePreview, 'preview'>
  readonly billed: BilledNow
  /** Job that carried the preview out; null before that. */
  readonly job: string | null
}

const listOf = (tenantId: string) => `subscription_previews:${tenantId}`

export function findPreview(deps: KeptDeps, tenantId: string, id: string): Promise<KeptPreview | null> {
  return findKept(deps, listOf(tenantId), id) as Promise<KeptPreview | null>
}

/** Adds the preview, or replaces the one with its id. */
export function keepPreview(deps: KeptDeps, tenantId: string, preview: KeptPreview): Promise<void> {
  return keep(deps, listOf(tenantId), preview)
}
