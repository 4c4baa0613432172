/** Actions on a subscription that a tenant's session can be allowed to take. A session that may `change` may also preview a change. */
export const customerActs = ['change', 'cancel', 'resume'] as const
export type CustomerAct = (typeof customerActs)[number]

export const isCustomerAct = (word: string): word is CustomerAct => customerActs.some((act) => act === word)
