// Limits that descriptions of the API state. The code that keeps them and the texts that name them read them from here.

/** Minutes for which a preview of a change holds its amounts, by the customer's clock. */
export const previewMinutes = 15

/**
 * Refused promotion codes of a tenant's sessions within an hour. After that, requests with a code get 429 `rate_limited` until the oldest
 * refusal is an hour old.
 */
export const refusedCodesPerHour = 10

/** Requests of a session that need the processor: at once, and within a minute. More get 429 `rate_limited`. */
export const sessionRequestsAtOnce = 2
export const sessionRequestsPerMinute = 60

/** Lifetime of a session in seconds if the request names none: one day. */
export const sessionSeconds = 86_400

/** What a change does with the rest of the period if the request does not say. */
export const defaultProration = 'prorate'

/** Actions on a subscription that a tenant's session can be allowed to take. A session that may `change` may also preview a change. */
export const customerActs = ['change', 'cancel', 'resume'] as const
export type CustomerAct = (typeof customerActs)[number]

export const isCustomerAct = (word: string): word is CustomerAct => customerActs.some((act) => act === word)
