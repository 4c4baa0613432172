/**
 * Wraps a callback (sync or async) of an emitter or a timer. An error in such a callback has no caller that could catch it, and would end
 * the process. So it is passed to `onError`, which e.g. closes the connection that the error concerns.
 */
export function guarded<Args extends readonly unknown[]>(
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
