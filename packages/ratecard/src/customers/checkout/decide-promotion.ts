import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import { toUnixSeconds } from '../../document/schema/moment.ts'
import type { PromotionCode } from '../../document/schema/schema.ts'
import { invalidCheckout } from './invalid.ts'

/**
 * Finds the processor id of a promotion code by the text that customers type, ignoring case. With a service key (`byId`), tries the
 * configuration id first. A session cannot use the configuration id, because it is easier to guess than the code. Unknown, inactive and
 * expired codes cause the same error. Whether a code is used up or does not apply to the price is left to the processor.
 */
export function decidePromotion(
  codes: readonly PromotionCode[],
  wanted: string,
  { byId, present, now }: { readonly byId: boolean; readonly present: string; readonly now: number },
): ProcessorId {
  const typed = wanted.toLowerCase()
  const named = byId ? codes.find(({ id }) => id === present) : undefined
  const found = named ?? codes.find(({ code }) => code.toLowerCase() === typed)
  if (found?.processor_id === undefined || !isValid(found, now))
    throw invalidCheckout('promotion_code', `There is no valid promotion code "${wanted}".`)
  return processorId(found.processor_id)
}

function isValid({ active, expires_at: expiresAt }: PromotionCode, now: number): boolean {
  return active !== false && (expiresAt === undefined || now < toUnixSeconds(expiresAt) * 1000)
}
