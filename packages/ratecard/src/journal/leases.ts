/**
 * Lease name of pushes: one push runs at a time. Every other job that changes the state that a push plans from (e.g. a webhook rotation)
 * takes this lease as well.
 */
export const pushLease = 'push'
