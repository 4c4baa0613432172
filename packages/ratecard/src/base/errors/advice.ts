// Advice texts that several modules share.

/** Next step for usage that the processor accepted and later dropped. */
export const reportUsageAgain = 'Fix the cause, then report the usage again with new identifiers.'
