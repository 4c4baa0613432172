// A sandbox for tests: in memory, on a free port. Every exchange is checked against the SDK's contract.
import Stripe from 'stripe'
import { onTestFinished, test } from 'vitest'
import type { Clock } from '../../packages/ratecard/src/base/clock.ts'
import type { Exchange } from '../../packages/sandbox/src/protocol/api.ts'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../packages/sandbox/src/server.ts'
import { checkExchange } from './stripe-contract.ts'

/** A clock that moves only when the test advances it. */
export class TestClock implements Clock {
  #now: number

  constructor(start = Date.UTC(2026, 10, 1)) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  advance(ms: number): void {
    this.#now += ms
  }
}

export interface TestSandbox {
  readonly url: string
  readonly port: number
  readonly control: Sandbox['control']
  readonly clock: TestClock
  /** Stripe client without retries, so that the test sees every response of the server. */
  readonly stripe: Stripe
  readonly apiKey: string
  /** Violations of the contract so far. `close` throws if there are any. */
  readonly violations: readonly string[]
  /** Log lines of the sandbox, including unexpected failures. */
  readonly lines: readonly string[]
  close(): Promise<void>
}

export type TestSandboxOptions = Partial<Omit<SandboxOptions, 'clock' | 'log'>> & {
  readonly apiKey?: string
  readonly clock?: TestClock
  /** Check of an exchange, in place of the SDK's contract. */
  readonly check?: (exchange: Exchange) => readonly string[]
}

/** Starts a sandbox. `close` fails if an exchange violated the contract or the server failed with an internal error. */
export async function startTestSandbox(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  const { apiKey = 'sk_test_sandbox', clock = new TestClock(), check = checkExchange, observe, ...rest } = options
  const violations: string[] = []
  const lines: string[] = []
  const sandbox = await startSandbox({
    port: 0,
    dataDir: null,
    ...rest,
    clock,
    log: (line) => lines.push(line),
    observe: (exchange) => {
      violations.push(...check(exchange))
      observe?.(exchange)
    },
  })
  return {
    url: sandbox.url,
    port: sandbox.port,
    control: sandbox.control,
    clock,
    stripe: clientOf(sandbox, apiKey),
    apiKey,
    violations,
    lines,
    close: async () => {
      await sandbox.close()
      const failures = lines.filter((line) => line.includes('unexpected failure'))
      if (violations.length + failures.length === 0) return
      throw new Error(`The sandbox broke its contract:\n${[...violations, ...failures].join('\n')}`)
    },
  }
}

/** Starts a sandbox that is closed and checked when the test ends. */
export async function sandboxForTest(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await startTestSandbox(options)
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** `test` with a sandbox: `async ({ sandbox }) => …`. */
export const sandboxTest = test.extend('sandbox', () => sandboxForTest())

/** An unmodified SDK client that sends its requests to the sandbox. */
export function clientOf(sandbox: { readonly port: number }, apiKey: string, maxNetworkRetries = 0): Stripe {
  return new Stripe(apiKey, {
    host: '127.0.0.1',
    port: sandbox.port,
    protocol: 'http',
    maxNetworkRetries,
    telemetry: false,
  })
}

/** Id of a reference that is not expanded. */
export function idOf(reference: string | { readonly id: string } | null | undefined): string {
  if (reference === null || reference === undefined) throw new Error('There is no reference')
  return typeof reference === 'string' ? reference : reference.id
}
