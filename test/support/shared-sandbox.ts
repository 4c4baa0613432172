// One sandbox for all tests of a file: each stack on it has an account and a store of its own.
import { systemClock } from '../../packages/ratecard/src/base/clock.ts'
import { startSandbox } from '../../packages/sandbox/src/server.ts'
import { startStack, type Stack, type StackOptions } from './stack.ts'
import { startedForAll } from './started.ts'

export function sharedSandbox() {
  const sandbox = startedForAll(() => startSandbox({ port: 0, dataDir: null, clock: systemClock }))
  return {
    sandbox,
    /** Runs the work with a stack that is closed afterwards. */
    withStack: async (work: (stack: Stack) => Promise<void>, options: Partial<StackOptions> = {}): Promise<void> => {
      const stack = await startStack({ sandbox, ...options })
      try {
        await work(stack)
      } finally {
        await stack.close()
      }
    },
  }
}
