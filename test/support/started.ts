// What tests start and must end, e.g. a stack or a server: one for each test, or one for all tests of a file or a describe.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

type Ending = { close(): unknown } | { remove(): unknown }

/** Starts a `T` before each test and ends it after the test. The result has the members of the `T` of the running test. */
export function startedForEach<T extends Ending>(start: () => T | Promise<T>): T {
  return started(start, beforeEach, afterEach)
}

/** Starts a `T` before the first test and ends it after the last one. The result has the members of that `T`. */
export function startedForAll<T extends Ending>(start: () => T | Promise<T>): T {
  return started(start, beforeAll, afterAll)
}

type Hook = (work: () => Promise<void>) => void

function started<T extends Ending>(start: () => T | Promise<T>, before: Hook, after: Hook): T {
  let current: T | undefined
  before(async () => {
    current = await start()
  })
  after(async () => {
    const ended = current
    current = undefined
    if (ended !== undefined) await ('close' in ended ? ended.close() : ended.remove())
  })
  const running = (): T => {
    if (current === undefined) throw new Error('It is started only while a test runs.')
    return current
  }
  return new Proxy({} as T, {
    get: (_, name) => {
      const value: unknown = Reflect.get(running(), name)
      return typeof value === 'function' ? value.bind(running()) : value
    },
    // For a spread, e.g. `{ ...stack }`.
    ownKeys: () => Reflect.ownKeys(running()),
    getOwnPropertyDescriptor: (_, name) => ({
      ...Reflect.getOwnPropertyDescriptor(running(), name),
      configurable: true,
    }),
  })
}
