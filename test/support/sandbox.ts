// A sandbox for tests: in memory, on a free port, every exchange checked against the SDK's contract.
import Stripe from 'stripe'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../packages/ratecard/src/clock.ts'
import type { Exchange } from '../../packages/sandbox/src/protocol/api.ts'
import { startSandbox } from '../../packages/sandbox/src/server.ts'
import type { Sandbox, SandboxOptions } from '../../packages/sandbox/src/server.ts'
import { checkExchange } from './stripe-contract.ts'

/** A clock that stands until it is moved. */
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
  /** Retries are off: what the server says is what the test sees. */
  readonly stripe: Stripe
  readonly apiKey: string
  /** What broke the contract so far. `close` throws when it is not empty. */
  readonly violations: readonly string[]
  /** Lines the sandbox logged; an unexpected failure is among them. */
  readonly lines: readonly string[]
  close(): Promise<void>
}

export type TestSandboxOptions = Partial<Omit<SandboxOptions, 'clock' | 'log'>> & {
  readonly apiKey?: string
  readonly clock?: TestClock
  /** Instead of the contract of the SDK. */
  readonly check?: (exchange: Exchange) => readonly string[]
}

/** Fails on `close` if any exchange broke the contract or the server failed by a bug of its own. */
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

/** The same, closed and checked when the test ends. */
export async function sandboxForTest(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await startTestSandbox(options)
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** An unchanged SDK client that talks to the sandbox. */
export function clientOf(sandbox: { readonly port: number }, apiKey: string, maxNetworkRetries = 0): Stripe {
  return new Stripe(apiKey, {
    host: '127.0.0.1',
    port: sandbox.port,
    protocol: 'http',
    maxNetworkRetries,
    telemetry: false,
  })
}

/** The id of what is not expanded. */
export function idOf(reference: string | { readonly id: string } | null | undefined): string {
  if (reference === null || reference === undefined) throw new Error('There is no reference')
  return typeof reference === 'string' ? reference : reference.id
}
