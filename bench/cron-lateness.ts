import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createSealer, generateMasterKey } from '../packages/ratecard/src/store/seal.ts'
import { openStore } from '../packages/ratecard/src/store/sql/open-store.ts'
import type { Store } from '../packages/ratecard/src/store/store.ts'
import { firstTicks } from '../packages/ratecard/src/workers/runtime/due-runs.ts'
import { Scheduler } from '../packages/ratecard/src/workers/runtime/scheduler.ts'
import { median, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import { compatibilityDate, helloWorker } from './bare-worker.ts'

const minuteMs = 60_000
const perWorker = 100
/** Time between the deployment of the cron triggers and their tick, in milliseconds. */
const aheadMs = 1_000

/**
 * Lateness of cron runs: all triggers of ten workers are due in the same minute and are claimed from a database on disk. The clock is
 * the real one, set forward to just before the minute. Measures until a run may begin; starting its process comes on top (see the cold
 * start).
 */
export async function benchCronLateness({ quick }: BenchOptions): Promise<BenchResult[]> {
  const workers = quick ? 2 : 10
  const rounds: { readonly ours: number[]; readonly timers: number[] }[] = []
  for (let round = 0; round < (quick ? 1 : 5); round++) rounds.push(await oneTick(workers))
  const of = (which: 'ours' | 'timers', share: number) => median(rounds.map((round) => quantile(round[which], share)))
  const name = `${(workers * perWorker).toLocaleString('en')} cron schedules due at once, lateness of the claim,`
  return [0.5, 0.99].map((share) => ({
    name: `${name} p${(share * 100).toString()}`,
    ours: milliseconds(of('ours', share)),
    yardstick: `as many timers ${milliseconds(of('timers', share))}`,
    ratio: '',
    aim: share === 0.99 && !quick ? '< 50 ms' : null,
    met: of('ours', share) < 50,
  }))
}

async function oneTick(workers: number): Promise<{ ours: number[]; timers: number[] }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const file = path.join(folder, 'cron.db')
  const store = await openStore({ url: null, file, sealer: createSealer(generateMasterKey()) })
  try {
    const tick = Math.ceil(Date.now() / minuteMs) * minuteMs + minuteMs
    let count = 0
    const newId = () => `id${(++count).toString().padStart(8, '0')}`
    for (let worker = 0; worker < workers; worker++) await deploy(store, `w${worker.toString()}`, tick, newId)
    const offset = tick - aheadMs - Date.now()
    const ours: number[] = []
    const all = workers * perWorker
    let done: () => void = () => undefined
    const ended = new Promise<void>((resolve) => (done = resolve))
    const scheduler = new Scheduler({
      runs: store.workerRuns,
      time: async () => (await store.workers.now()) + offset,
      instance: 'bench',
      newId,
      carryOut: (run) => {
        if (ours.push(Date.now() + offset - run.scheduledTime) === all) done()
        return Promise.resolve({ outcome: 'ok', wallMs: 0, cpuMs: null })
      },
      report: (error) => {
        throw error
      },
    })
    scheduler.start()
    await ended
    await scheduler.idle()
    await scheduler.stop(0)
    return { ours, timers: await timers(all) }
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Baseline: the same number of bare timers due at the same time. */
async function timers(count: number): Promise<number[]> {
  const at = Date.now() + 200
  return Promise.all(
    Array.from({ length: count }, async () => {
      await wait(at - Date.now())
      return Math.max(0, Date.now() - at)
    }),
  )
}

async function deploy(store: Store, worker: string, tick: number, newId: () => string): Promise<void> {
  const at = new Date(tick)
  const minute = at.getUTCMinutes()
  const hour = at.getUTCHours()
  // Different cron expressions that are all due in that minute.
  const crons = Array.from({ length: perWorker }, (_, index) =>
    index < 50 ? `${minutes(minute, index)} * * * *` : `${minutes(minute, index - 50)} ${hour.toString()} * * *`,
  )
  const now = tick - minuteMs
  const deployment = { id: newId(), worker, author: null, message: null, environment: null, variables: [], crons }
  const record = { ...deployment, hosts: [], sizeBytes: helloWorker.length, checksum: newId(), createdAt: now }
  const module = { name: 'worker.js', type: 'esm', content: helloWorker } as const
  const code = { modules: [module], main: module.name, sourceMap: null, compatibilityDate, compatibilityFlags: [] }
  await store.exclusively(`worker:${worker}`, ({ token }) =>
    store.workers.activate(
      record,
      { ...code, cpuMs: 1_000, env: '{}', serviceKey: null, passCredentials: false },
      firstTicks(crons, tick - 1),
      {
        keep: 1,
        token,
      },
    ),
  )
}

function minutes(minute: number, other: number): string {
  const second = (minute + 1 + other) % 60
  return [minute, second].toSorted((a, b) => a - b).join(',')
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}
