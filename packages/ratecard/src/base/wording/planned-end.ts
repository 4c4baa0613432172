// When a subscription ends, the same in the terminal and in the dashboard.

interface Ending {
  readonly cancelAt: string | null
  readonly cancelAtPeriodEnd: boolean
  readonly items: readonly { readonly currentPeriodEnd: string | null }[]
}

/** Returns the latest end of a period among the items of a subscription; null without one. */
export const periodEndOf = ({ items }: Pick<Ending, 'items'>): string | null =>
  items
    .flatMap(({ currentPeriodEnd }) => currentPeriodEnd ?? [])
    .sort()
    .at(-1) ?? null

/** Returns the planned end of a subscription: the date of its cancellation, or else the end of its longest period. null if it goes on. */
export const endOf = (subscription: Ending): string | null =>
  subscription.cancelAt ?? (subscription.cancelAtPeriodEnd ? periodEndOf(subscription) : null)

/** Returns the words before the first planned end of a tenant's subscriptions: "ends", "1 of 2 ends" or "2 of 2 end, the first". */
export function endWords(ending: number, subscriptions: number): string {
  const verb = ending === 1 ? 'ends' : 'end, the first'
  return subscriptions === 1 ? verb : `${String(ending)} of ${String(subscriptions)} ${verb}`
}
