/** Returns the error for an aborted wait: the signal's reason, wrapped in an Error if the reason is not an Error. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error ? reason : new Error('The call was aborted.', { cause: reason })
}

/**
 * Resolves or rejects like the promise `answer`, but rejects at once when the signal aborts. The later result of `answer` is then ignored.
 */
export function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(abortReason(signal))
    }
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    const settled = (): void => {
      signal.removeEventListener('abort', abort)
    }
    answer.then(resolve, reject).then(settled, settled)
  })
}
