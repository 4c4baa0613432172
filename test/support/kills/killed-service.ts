// Runs a service that is killed (killable.ts): a sandbox, stores copied for each kill, and a second service over the remaining
// state.
import { spawn } from 'node:child_process'
import { systemClock, type Clock } from '../../../packages/ratecard/src/base/clock.ts'
import { startSandbox } from '../../../packages/sandbox/src/server.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import type { LateKind } from './kill-harness.ts'
import type { KilledAct } from './killable.ts'
import type { Place, StoreFactory } from './kill-stores.ts'
import { adapterTo, serviceOver, stripeAt } from '../parts.ts'
import { makeProgram, type Program } from './program.ts'
import type { Stack } from '../stack.ts'

/** `act` is a row of killable.ts. `clock` is that of the services after the kill. */
export async function killedService(
  stores: StoreFactory,
  act: KilledAct,
  secretKey: string,
  clock: Clock = systemClock,
) {
  const program = await makeProgram('killable.ts')
  const sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  const masterKey = generateMasterKey()
  const stripe = stripeAt(sandbox.port, secretKey)

  /** Starts a service over the store, as a new process would. */
  const open = async ({ url, file }: Place): Promise<Stack> => {
    const store = await openStore({ url, file, sealer: createSealer(masterKey) })
    const processor = adapterTo(sandbox.url, secretKey)
    const service = serviceOver({ store, processor, clock })
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

  /**
   * Starts from the prepared state and kills the service at this point (0: never). Resolves with a service over the remaining state.
   */
  const killedAt = async (killAt: number, more: object = {}) => {
    sandbox.control.restore('prepared')
    const place = await stores.fork(`kill-${String(killAt)}`)
    const { url, file } = place
    const order = { act, killAt, url, file, masterKey, apiBase: sandbox.url, secretKey, ...more }
    const ended = await runProgram(program, order)
    const stack = await open(place)
    const close = async () => {
      await stack.close()
      await place.remove()
    }
    return { ...ended, stack, close }
  }

  /** Starts from the prepared state and kills the service during its n-th processor write. `land` lets the write through. */
  const killedLate = async (write: number, kind: LateKind, more: object = {}) => {
    sandbox.control.restore('prepared')
    const place = await stores.fork(`late-${String(write)}`)
    const { url, file } = place
    const order = { act, killAt: 0, url, file, masterKey, apiBase: sandbox.url, secretKey, ...more }
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
  }
  return { stripe, open, prepared, killedAt, killedLate, close }
}

/** `before` receives the function that kills the program. */
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
