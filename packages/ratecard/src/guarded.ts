/**
 * Wraps a callback of an emitter or a timer, async ones included. An error there has no caller that could catch it and would end
 * the process, so it goes to `onError`, e.g. to end the one connection that it concerns.
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
