// How many of a price a session may ask for. Pure. A service key acts for the seller and may ask for any quantity that the processor takes.
import { invalidMembers } from '../../base/errors/invalid-members.ts'

/**
 * Throws `quantity_invalid` if a session asks for more than `most`, unless it has as many already (e.g. sold by the seller's own key).
 * `present` is what it has; 0 for nothing.
 */
export function checkSessionQuantity(
  wanted: number | undefined,
  { most, present = 0 }: { readonly most: number; readonly present?: number },
  path: readonly (string | number)[],
): void {
  if (wanted === undefined || wanted <= most || wanted <= present) return
  throw invalidMembers('quantity_invalid', [
    {
      path: [...path, 'quantity'],
      detail: `A session can ask for at most ${String(most)} of a price.`,
      hint: 'To sell more, use a service key, or raise RATECARD_SESSION_MAX_QUANTITY.',
    },
  ])
}
