// Runs the scenarios on the real processor and on the sandbox, one after the other, and returns the differences.
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../../base/clock.ts'
import { ProcessorError } from '../../processor-error.ts'
import { createStripe, isLiveKey, keyProblem } from '../connection/connection.ts'
import { withoutSecrets } from '../connection/errors.ts'
import { scenarios } from './scenarios.ts'
import { Stage, type Observation, type Scenario } from './stage.ts'

export interface VerifyOptions {
  readonly secretKey: string
  /** Base URL of another server with the same API; null means Stripe itself. */
  readonly apiBase: string | null
  readonly sandboxUrl: string
  /** Ids of the scenarios to run; empty means all. */
  readonly only: readonly string[]
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onVerdict?: (verdict: ScenarioResult) => void
}

/** A difference between the observations of Stripe and the sandbox; `at` is its path in the observation. */
export interface Difference {
  readonly at: string
  readonly sandbox: unknown
  readonly processor: unknown
}

export interface ScenarioResult {
  readonly id: string
  readonly belief: string
  readonly differences: readonly Difference[]
  /** The reason why the scenario could not finish; null if it finished. */
  readonly error: string | null
  /** Objects that could not be removed from the processor. */
  readonly leftBehind: readonly string[]
}

export const scenarioIds: readonly string[] = scenarios.map(({ id }) => id)

/** Runs the scenarios on Stripe and on the sandbox. If the key is not a test key, throws `unauthorized` without any request. */
export async function verify(options: VerifyOptions): Promise<readonly ScenarioResult[]> {
  const { secretKey, apiBase, sandboxUrl, only, clock, signal } = options
  const problem = keyProblem(secretKey)
  if (problem !== null) throw new ProcessorError('unauthorized', `${problem}.`)
  if (isLiveKey(secretKey))
    throw new ProcessorError(
      'unauthorized',
      'The key is a live key. The check creates and deletes objects, so it accepts only test keys.',
    )
  const timeoutMs = 80_000
  const real = createStripe({ secretKey, apiBase, timeoutMs })
  const sandbox = createStripe({ secretKey: 'sk_test_ratecardverify', apiBase: sandboxUrl, timeoutMs })
  const verdicts: ScenarioResult[] = []
  for (const scenario of scenarios) {
    if (only.length > 0 && !only.includes(scenario.id)) continue
    signal.throwIfAborted()
    const verdict = await decide(scenario, new Stage(real, clock, signal), new Stage(sandbox, clock, signal), secretKey)
    verdicts.push(verdict)
    options.onVerdict?.(verdict)
  }
  return verdicts
}

async function decide(scenario: Scenario, real: Stage, sandbox: Stage, secretKey: string): Promise<ScenarioResult> {
  const { id, belief } = scenario
  const expected = await runScenario(scenario, sandbox, secretKey)
  const found = await runScenario(scenario, real, secretKey)
  const errors = [expected, found].flatMap(({ error }) => (error === null ? [] : [error]))
  return {
    id,
    belief,
    differences: errors.length > 0 ? [] : differencesBetween(expected.seen, found.seen),
    error: errors.length > 0 ? errors.join(' ') : null,
    leftBehind: found.leftBehind,
  }
}

interface RecordedAnswer {
  readonly seen: Observation
  readonly error: string | null
  readonly leftBehind: readonly string[]
}

async function runScenario(scenario: Scenario, stage: Stage, secretKey: string): Promise<RecordedAnswer> {
  try {
    return { seen: await scenario.observe(stage), error: null, leftBehind: await stage.cleanUp() }
  } catch (error) {
    const message = withoutSecrets(error instanceof Error ? error.message : String(error), secretKey)
    return { seen: {}, error: message, leftBehind: await stage.cleanUp() }
  }
}

function differencesBetween(sandbox: unknown, processor: unknown, at = ''): Difference[] {
  if (isDeepStrictEqual(sandbox, processor)) return []
  if (!isHash(sandbox) || !isHash(processor)) return [{ at, sandbox: sandbox ?? null, processor: processor ?? null }]
  const names = [...new Set([...Object.keys(sandbox), ...Object.keys(processor)])]
  return names.flatMap((name) => differencesBetween(sandbox[name], processor[name], at === '' ? name : `${at}.${name}`))
}

function isHash(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
