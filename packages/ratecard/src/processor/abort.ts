/** What an aborted wait rejects with: the signal's own reason, or an error around a reason that is none. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error ? reason : new Error('The call was aborted.', { cause: reason })
}

/** Settles as `answer` does, unless the signal is faster; then the answer is dropped. */
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
