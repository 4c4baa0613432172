// Every trigger of Stripe's command-line tool, as its users run it, against one account of the sandbox for each.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { startSandbox, type Sandbox } from '../../../packages/sandbox/src/server.ts'
import { clientOf } from '../../support/sandbox.ts'
import { install, type Installed } from './installed.ts'
import { triggers, type RefusedTriggers } from './outcomes.ts'

const run = promisify(execFile)
/** Number of triggers that run at the same time. */
const concurrency = 3
/** Timeout (ms) of one trigger, which takes half a second on an idle machine. */
const triggerTimeoutMs = 120_000

const refused: readonly RefusedTriggers[] = triggers.refused

let tool: Installed
let sandbox: Sandbox
beforeAll(async () => {
  tool = await install('command-line-tool')
  sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
}, 420_000)
afterAll(async () => {
  await sandbox.close()
  tool.remove()
})

const stripe = (...args: string[]) => {
  const program = path.join(tool.folder, 'node_modules/@stripe/cli/bin/shim.js')
  // The proxy does not exist, so that nothing leaves this machine: neither usage statistics nor the question for a newer version.
  const proxy = 'http://127.0.0.1:9'
  const env = { PATH: process.env['PATH'], HOME: tool.folder, STRIPE_CLI_TELEMETRY_OPTOUT: '1' }
  return run(process.execPath, [program, ...args], {
    env: { ...env, HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: '127.0.0.1' },
    timeout: triggerTimeoutMs,
  })
}

async function listed(): Promise<string[]> {
  const { stdout } = await stripe('trigger', '--help')
  const [, list = ''] = /Supported events:\n([\s\S]*?)\nUsage:/.exec(stdout) ?? []
  return list.split('\n').flatMap((line) => /^ {2}([a-z\d_.]+)$/.exec(line)?.slice(1) ?? [])
}

/** Returns `emits it`, `runs`, or the message with which the tool ends. */
async function trigger(event: string, number: number): Promise<string> {
  const key = `sk_test_trigger_${String(number)}`
  const account = clientOf(sandbox, key)
  // As at Stripe, an account has no portal until its settings are saved.
  await account.billingPortal.configurations.create({ features: { invoice_history: { enabled: true } } })
  try {
    await stripe('trigger', event, '--api-base', sandbox.url, '--api-key', key)
  } catch (error) {
    return (error as { readonly stderr: string }).stderr
  }
  return (await account.events.list({ type: event, limit: 1 })).data.length > 0 ? 'emits it' : 'runs'
}

function expected(event: string): unknown {
  const difference = refused.find(({ events }) => events.includes(event))
  if (difference !== undefined) return expect.stringContaining(difference.error)
  return triggers.sequences.some((name) => name === event) ? 'runs' : 'emits it'
}

test('each trigger of Stripe’s command-line tool emits its event in the sandbox, unless the table of triggers lists it as refused', async () => {
  const events = await listed()
  expect(events).toHaveLength(triggers.count)
  expect(refused.flatMap((difference) => difference.events).filter((event) => !events.includes(event))).toEqual([])
  const outcomes: Record<string, string> = {}
  const waiting = events.entries()
  const worker = async () => {
    for (const [number, event] of waiting) outcomes[event] = await trigger(event, number)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  expect(outcomes).toEqual(Object.fromEntries(events.map((event) => [event, expected(event)])))
}, 540_000)
