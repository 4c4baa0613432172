/** Counts the points that a process passes, and ends it (SIGKILL) at the n-th; never if `killAt` is 0. */
export function killPoints(killAt: number) {
  let passed = 0
  const pass = (): void => {
    if (++passed === killAt) process.kill(process.pid, 'SIGKILL')
  }
  return {
    pass,
    passed: () => passed,
    /** The object with a kill point before and after each call of these methods. */
    counted<T extends object>(target: T, names: readonly (keyof T & string)[]): T {
      return new Proxy(target, {
        get(object, name) {
          const value: unknown = Reflect.get(object, name)
          if (typeof value !== 'function') return value
          const method = (value as (...args: unknown[]) => Promise<unknown>).bind(object)
          if (!names.includes(name as keyof T & string)) return method
          return async (...args: unknown[]) => {
            pass()
            const result = await method(...args)
            pass()
            return result
          }
        },
      })
    },
  }
}
