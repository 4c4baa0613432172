/**
 * Lease name of pushes, because only one push runs at a time. Every other job that changes the state that a push plans from (e.g. a webhook
 * rotation) takes this lease too.
 */
export const pushLease = 'push'
