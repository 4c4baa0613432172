// Advice that several rooms give in the same words.

/** What is to be done about usage that the processor took and then dropped. */
export const reportUsageAgain = 'Put the cause right, then report that usage again under new identifiers.'
