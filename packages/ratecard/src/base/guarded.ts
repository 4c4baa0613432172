/**
 * Wraps a callback (sync or async) of an event emitter or a timer. An error in such a callback cannot be caught by a caller, and would end
 * the process. So the error is passed to `onError`, which can e.g. close the connection concerned.
 */
export function guardCallback<Args extends readonly unknown[]>(
  callback: (...args: Args) => unknown,
  onError: (error: unknown, ...args: Args) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      const result = callback(...args)
      if (result instanceof Promise) result.catch((error: unknown) => onError(error, ...args))
    } catch (error) {
      onError(error, ...args)
    }
  }
}
