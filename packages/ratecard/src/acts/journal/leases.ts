/**
 * Name of the lease for pushes. Only one push runs at a time. Every other job that changes data from which a push plans (e.g. a webhook
 * rotation) takes this lease too.
 */
export const pushLease = 'push'
