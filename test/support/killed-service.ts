// Around a service that is killed (killable-service.ts): a sandbox, stores that are copied afresh for each kill, and the service of
// whoever finds what was left.
import { spawn } from 'node:child_process'
import Stripe from 'stripe'
import { systemClock } from '../../packages/ratecard/src/clock.ts'
import { createService } from '../../packages/ratecard/src/composition/compose.ts'
import { unlimitedBudget } from '../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { startSandbox } from '../../packages/sandbox/src/server.ts'
import { createSealer, generateMasterKey } from '../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import type { LateKind } from './kill-harness.ts'
import type { Place, StoreFactory } from './kill-stores.ts'
import { makeProgram } from './program.ts'
import type { Program } from './program.ts'
import type { Stack } from './stack.ts'

/** `script` is a file beside this one. */
export async function killedService(stores: StoreFactory, script: string, secretKey: string) {
  const program = await makeProgram(script)
  const sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  const masterKey = generateMasterKey()
  const address = { host: '127.0.0.1', port: sandbox.port, protocol: 'http', telemetry: false } as const
  const stripe = new Stripe(secretKey, { ...address, maxNetworkRetries: 0 })

  /** The service over the store in this file, as a process that starts there would have it. */
  const open = async ({ url, file }: Place): Promise<Stack> => {
    const store = await openStore({ url, file, sealer: createSealer(masterKey) })
    const connection = { secretKey, apiBase: sandbox.url, budget: unlimitedBudget, clock: systemClock, firstWaitMs: 1 }
    const processor = createStripeProcessor(connection)
    const settings = { requireVersionBump: false, workers: 'off' as const }
    const service = createService({ settings, store, processor, processorName: 'sandbox', clock: systemClock })
    return {
      service,
      store,
      processor,
      sandbox,
      stripe,
      writes: () => 0,
      snapshot: () => processor.snapshot({ signal: AbortSignal.timeout(30_000) }),
      close: async () => {
        await service.close()
        await store.close()
      },
    }
  }

  /** From the prepared state, killed at this point (0: none); what is left is open when it resolves. */
  const killedAt = async (killAt: number, more: object = {}) => {
    sandbox.control.restore('prepared')
    const place = await stores.fork(`kill-${String(killAt)}`)
    const { url, file } = place
    const order = { killAt, url, file, masterKey, apiBase: sandbox.url, secretKey, ...more }
    const ended = await runProgram(program, order)
    const stack = await open(place)
    const close = async () => {
      await stack.close()
      await place.remove()
    }
    return { ...ended, stack, close }
  }

  /** From the prepared state, killed while its n-th write is on its way to the processor. `land` lets the write through. */
  const killedLate = async (write: number, kind: LateKind, more: object = {}) => {
    sandbox.control.restore('prepared')
    const place = await stores.fork(`late-${String(write)}`)
    const { url, file } = place
    const order = { killAt: 0, url, file, masterKey, apiBase: sandbox.url, secretKey, ...more }
    const ended = await runProgram(program, order, (kill) => {
      sandbox.control.fail({ kind, skip: write - 1, onStrike: kill })
    })
    sandbox.control.clearFaults()
    const stack = await open(place)
    const close = async () => {
      await stack.close()
      await place.remove()
    }
    return { ...ended, stack, close, land: () => sandbox.control.land() }
  }

  const prepared = () => sandbox.control.snapshot('prepared')
  const close = async () => {
    await sandbox.close()
    await stores.close()
    program.remove()
  }
  return { stripe, open, prepared, killedAt, killedLate, close }
}

/** `before` gets what kills the program. */
function runProgram(
  program: Program,
  order: object,
  before: (kill: () => void) => void = () => undefined,
): Promise<{ readonly killed: boolean; readonly points: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...program.args, JSON.stringify(order)], { env: program.env })
    before(() => child.kill('SIGKILL'))
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve({ killed: true, points: 0 })
      else if (code === 0) resolve({ killed: false, points: (JSON.parse(output) as { points: number }).points })
      else reject(new Error(`It ended with ${String(code)}: ${errors}`))
    })
  })
}
