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

const endings: (() => Promise<void>)[] = []

/**
 * Returns a function that starts a `T` at its first call in a test file and returns the same `T` at later calls, e.g. a PostgreSQL server
 * or a bundled program. It is ended after the last test of the file. Unlike {@link startedForAll} it starts nothing if no test needs it.
 */
export function onceInFile<T extends Ending>(start: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined
  return () => {
    if (current !== undefined) return current
    const starting = start()
    endings.push(async () => {
      current = undefined
      await end(await starting)
    })
    current = starting
    return starting
  }
}

/** Ends what `onceInFile` has started, the newest first. `setup.ts` calls it after the last test of each file. */
export async function endOfFile(): Promise<void> {
  for (const ending of endings.splice(0).reverse()) await ending()
}

async function end(started: Ending): Promise<void> {
  await ('close' in started ? started.close() : started.remove())
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
    if (ended !== undefined) await end(ended)
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
