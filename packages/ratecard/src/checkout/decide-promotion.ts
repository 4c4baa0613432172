import { processorId } from '../catalog/resource.ts'
import type { ProcessorId } from '../catalog/resource.ts'
import { toUnixSeconds } from '../config/moment.ts'
import type { PromotionCode } from '../config/schema.ts'
import { invalid } from './invalid.ts'

/**
 * The processor's id of the code that is meant: by its config id, else by what customers type, in any case. Unknown, stopped
 * and expired codes look the same. Whether it is used up, and whether it fits the price, the processor says.
 */
export function decidePromotion(codes: readonly PromotionCode[], wanted: string, now: number): ProcessorId {
  const typed = wanted.toLowerCase()
  const found = codes.find(({ id }) => id === wanted) ?? codes.find(({ code }) => code.toLowerCase() === typed)
  if (found?.processor_id === undefined || !isValid(found, now))
    throw invalid('promotion_code', `There is no valid promotion code "${wanted}".`)
  return processorId(found.processor_id)
}

function isValid({ active, expires_at: expiresAt }: PromotionCode, now: number): boolean {
  return active !== false && (expiresAt === undefined || now < toUnixSeconds(expiresAt) * 1000)
}
