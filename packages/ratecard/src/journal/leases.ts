/** The lease that keeps pushes of one account apart, and whatever else changes what pushes plan by. */
export const pushLease = 'push'
