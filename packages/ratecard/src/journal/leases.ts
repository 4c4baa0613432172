/** The lease of pushes: one at a time. Whatever changes the state that a push plans from takes it as well. */
export const pushLease = 'push'
