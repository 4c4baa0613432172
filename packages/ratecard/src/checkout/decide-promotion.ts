import { processorId } from '../catalog/resource.ts'
import type { ProcessorId } from '../catalog/resource.ts'
import { toUnixSeconds } from '../config/schema/moment.ts'
import type { PromotionCode } from '../config/schema/schema.ts'
import { invalid } from './invalid.ts'

/**
 * The processor's id of the code that is meant: by what customers type, in any case, and for a service key (`byId`) by its
 * config id first: an id is easier to guess than a code, and a customer who guesses it would have the discount. Unknown,
 * stopped and expired codes look the same. Whether it is used up, and whether it fits the price, the processor says.
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
    throw invalid('promotion_code', `There is no valid promotion code "${wanted}".`)
  return processorId(found.processor_id)
}

function isValid({ active, expires_at: expiresAt }: PromotionCode, now: number): boolean {
  return active !== false && (expiresAt === undefined || now < toUnixSeconds(expiresAt) * 1000)
}
