// Advice texts that several modules share.

/** Next step for usage that the processor accepted and later dropped. */
export const reportUsageAgain = 'Put the cause right, then report that usage again under new identifiers.'
