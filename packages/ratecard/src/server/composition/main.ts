// Starts and stops the processes of Ratecard: chooses the service's store and processor, and prints the start messages.
import { randomBytes, randomUUID } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { StateUnavailable, startSandboxThread } from '@ratecard/sandbox/thread'
import type { Logger } from 'pino'
import { throttledBudget } from './throttled-budget.ts'
import { systemClock, type Clock } from '../../base/clock.ts'
import { createBillingClock, type BillingClock } from './billing-clock.ts'
import { createService, type Service } from '../service/service.ts'
import { keepingMark, keepMark, refuseBehind } from './store-mark.ts'
import {
  embeddedKeyFile,
  keepFirstKey,
  keepKeyInHome,
  keepSandboxAddress,
  makePrivate,
  readFileText,
} from './key-files.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { createLog } from './log.ts'
import type { MirrorSettings } from '../service/mirror-feed.ts'
import { registerBillingGauges, withBillingCounters } from './billing-metrics.ts'
import { watchBilling } from './billing-watch.ts'
import { createRequestCounters, registerMirrorMetrics } from './processor-metrics.ts'
import { buildApp, closeGracefully, leave } from '../http/app.ts'
import { createMetrics } from '../http/listener/metrics.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import type { Processor } from '../../processor/processor.ts'
import { createRateBudget, halfOf, limitsFor, unlimitedBudget } from '../../processor/rate-budget.ts'
import { isLiveKey, keyProblem } from '../../processor/stripe/connection/connection.ts'
import type { SentRequest } from '../../processor/write-options.ts'
import { createStripeProcessor } from '../../processor/stripe/stripe-processor.ts'
import { scenarioIds, verify, type VerifyOptions } from '../../processor/stripe/verification/verify.ts'
import { asServiceError } from '../../processor/failures.ts'
import { readSettings, unknownSettings, type Settings } from '../settings.ts'
import { createSealer, loadOrCreateMasterKeyFile } from '../../store/seal.ts'
import { openStore } from '../../store/sql/open-store.ts'
import type { Store } from '../../store/store.ts'
import { workerHosting } from './worker-hosting.ts'
import type { RuntimeState } from '../../workers/runtime/worker-runtime.ts'

export interface StartServerOptions {
  readonly env: NodeJS.ProcessEnv
  readonly port?: number | undefined
  readonly dataDir?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly out: (line: string) => void
  /** Sanitizes log lines for a terminal; absent if the log is JSON. */
  readonly logForPeople?: (text: string) => string
  /** False if the output is stored, e.g. in a log file. Then a generated key is not printed, only the path of the file that contains it. */
  readonly showKey?: boolean
  readonly clock?: Clock
  /** True: serve an embedded store also if it is behind its mark, and move the mark to it. */
  readonly acceptOlderStore?: boolean
}

export interface RunningServer {
  readonly url: string
  readonly sandboxUrl: string | null
  readonly app: FastifyInstance
  readonly service: Service
  close(): Promise<void>
  /** Like `close`, but closes the listener at once. `close` waits first, so that load balancers can stop sending requests. */
  closeAtOnce(): Promise<void>
}

/**
 * Maximum time (ms) for requests and a running push to finish. After that a push stops between two steps, so that the process ends within
 * ten seconds of SIGTERM. Only a write in flight to the processor is awaited for longer, up to `maxWriteMs`.
 */
export const drainMs = 8000

/** Starts the whole service. If one part fails to start, stops the parts that were already started. */
export async function startServer(options: StartServerOptions): Promise<RunningServer> {
  const wallClock = options.clock ?? systemClock
  const clock = createBillingClock(wallClock)
  const read = readSettings(options.env)
  const settings: Settings = {
    ...read,
    port: options.port ?? read.port,
    dataDir: path.resolve(options.dataDir ?? read.dataDir),
  }
  const closers: (() => Promise<void>)[] = []
  let serving = false
  // Closing runs only once. A further call, e.g. after an uncaught error while the service drains, gets the same promise.
  let ending: Promise<void> | null = null
  const closeAll = () => (ending ??= closeEach(closers.splice(0).reverse()))
  try {
    makePrivate(settings.dataDir)
    const store = await openSettingsStore(settings, clock, options.acceptOlderStore ?? false)
    closers.push(() => store.close())
    const logger = createLog(settings.logLevel, options.logForPeople ?? null)
    const open = whoElseEnters(settings.dataDir)
    if (open !== null) logger.warn(open)
    for (const unknown of unknownSettings(options.env)) logger.warn(unknown)
    const registry = createMetrics()
    const countRequest = createRequestCounters(registry)
    let countRead = (): void => undefined
    const onRequest = (request: SentRequest): void => {
      countRequest(request)
      if (request.access === 'read') countRead()
    }
    const opened = await openProcessor({ settings, store, clock, wallClock, closers, logger, onRequest })
    const { processor, processorName, processorMode, sandboxUrl } = opened
    const publicUrl = publicUrlOf(settings)
    const hosting = workerHosting({
      settings,
      publicUrl,
      clock: wallClock,
      registry,
      report: (error, what) => logger.warn({ err: error }, `worker host: ${what}`),
      onRuntimeLine: (worker, line) => logger.debug({ worker, line }, 'worker runtime'),
    })
    const composed = createService({
      settings: { ...settings, publicUrl },
      store,
      processor,
      processorName,
      processorMode,
      clock,
      wallClock,
      workers: hosting.options,
      ...(settings.mirror === 'off' ? {} : { mirror: mirrorSettings(settings, logger) }),
    })
    const report = (error: unknown, what: string) => {
      logger.warn({ err: error }, what)
    }
    const mark = keepingMark(settings.dataDir, store, report)
    closers.push(async () => Promise.resolve(mark.stop()))
    const service = mark.over(withBillingCounters(composed, registry, { store, clock, report }))
    registerBillingGauges(registry, service, report)
    if (service.feed !== null) {
      countRead = service.feed.countRead
      registerMirrorMetrics(registry, { mirror: service.feed.mirror, store: store.mirror, clock, report })
    }
    closers.push(() => service.close())
    closers.push(watchBilling({ service, store, clock: wallClock, report }))
    const firstKey = await service.ensureFirstKey(settings.serviceKey, (key) => {
      keepFirstKey(settings, key)
    })
    const app = await buildApp({
      service,
      settings: { ...settings, publicUrl },
      clock,
      wallClock,
      logger,
      metrics: registry,
    })
    closers.push(async () => {
      if (serving) await leave(app, settings.shutdownDelaySeconds * 1000)
      await Promise.all([closeGracefully(app, drainMs, () => service.endWork()), service.workers.close(drainMs)])
    })
    const url = await listen(app, settings)
    service.lookups.start()
    service.feed?.feeder.start()
    clock.attach(service, (error) => {
      logger.warn({ err: error }, 'what is due after the sandbox’s clock was moved')
    })
    service.waitingJobs.start((error) => logger.warn({ err: error }, 'jobs that wait for a date'))
    const address = app.server.address()
    if (typeof address === 'object' && address !== null) hosting.listening(address, url)
    await service.workers.start(url)
    const workers = await service.workers.state()
    const keyFiles = keepKeyInHome(settings, new URL(url).port)
    keepSandboxAddress(settings, new URL(url).port, sandboxUrl)
    options.out(
      bannerText({
        url,
        sandboxUrl,
        workers,
        settings,
        key: firstKey?.key ?? null,
        keyFiles,
        showKey: options.showKey ?? true,
      }),
    )
    // The check of the processor runs in the background, so that a slow processor does not delay the start.
    if (sandboxUrl === null)
      warnOfProcessor(service, settings, options.out, logger).catch((error: unknown) =>
        logger.warn({ err: error }, 'the processor could not be checked'),
      )
    serving = true
    const closeAtOnce = () => {
      serving = false
      return closeAll()
    }
    const running: RunningServer = { url, sandboxUrl, app, service, close: closeAll, closeAtOnce }
    const failed = (error: unknown) => logger.error({ err: error }, 'the service did not end in order')
    options.signal?.addEventListener('abort', () => void closeAll().catch(failed), { once: true })
    return running
  } catch (error) {
    await closeAll()
    throw error
  }
}

/**
 * Closes the parts one after the other. If one fails, still closes the next ones: the last part is the store, and closing it releases the
 * leases. Then throws all failures.
 */
async function closeEach(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers) await close().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'Not every part of the service could be closed.')
}

async function openSettingsStore(settings: Settings, clock: Clock, acceptOlder: boolean): Promise<Store> {
  const masterKey = settings.masterKey ?? (await loadOrCreateMasterKeyFile(path.join(settings.dataDir, 'master-key')))
  const file = path.join(settings.dataDir, 'ratecard.db')
  const isEmbedded = settings.databaseUrl === null
  if (isEmbedded && !acceptOlder) refuseBehind(settings.dataDir, file)
  const store = await openStore({ url: settings.databaseUrl, file, sealer: createSealer(masterKey), clock })
  try {
    if (isEmbedded) await keepMark(settings.dataDir, store, randomUUID, acceptOlder)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Default time (s) between two polls of events. Stripe limits the reads of an account per month; a sandbox has no limit. */
const pollSecondsAt = { sandbox: 5, stripe: 300 } as const

function mirrorSettings(settings: Settings, logger: Logger): MirrorSettings {
  const { stripeSecretKey, stripeApiBase, mirrorPollSeconds, processorEventsSecret, publicUrl } = settings
  const at = stripeSecretKey === null || stripeApiBase !== null ? 'sandbox' : 'stripe'
  return {
    pollSeconds: mirrorPollSeconds ?? pollSecondsAt[at],
    eventsSecret: processorEventsSecret,
    deliverTo: publicUrl?.startsWith('https:') === true ? publicUrl : null,
    limitedReads: at === 'stripe',
    report: (error, what) => logger.warn({ err: error }, `mirror: ${what}`),
  }
}

interface OpenedProcessor {
  readonly processor: Processor
  readonly processorName: string
  readonly processorMode: 'sandbox' | 'test' | 'live'
  readonly sandboxUrl: string | null
}

interface ProcessorOptions {
  readonly settings: Settings
  readonly store: Store
  readonly clock: BillingClock
  readonly wallClock: Clock
  readonly closers: (() => Promise<void>)[]
  readonly logger: Logger
  readonly onRequest: (request: SentRequest) => void
}

async function openProcessor(options: ProcessorOptions): Promise<OpenedProcessor> {
  const { settings, store, clock, wallClock, closers, logger, onRequest } = options
  if (settings.stripeSecretKey !== null) {
    const secretKey = settings.stripeSecretKey
    const livemode = isLiveKey(secretKey)
    const processor = withSettings(() =>
      createStripeProcessor({
        secretKey,
        apiBase: settings.stripeApiBase,
        budget: throttledBudget(store, { livemode }, wallClock),
        listBudget: createRateBudget({ ...halfOf(limitsFor({ livemode })), clock: wallClock }),
        clock: wallClock,
        onRequest,
      }),
    )
    const processorName =
      settings.stripeApiBase === null ? 'Stripe' : `Stripe API at ${new URL(settings.stripeApiBase).origin}`
    // Any other server with Stripe's API counts as a sandbox, and never gets a live key.
    const processorMode = settings.stripeApiBase !== null ? 'sandbox' : livemode ? 'live' : 'test'
    return { processor, processorName, processorMode, sandboxUrl: null }
  }
  // The sandbox runs in a separate thread, so that its failure does not stop the service.
  const secretKey = embeddedSandboxKey(settings.dataDir)
  const sandbox = await startSandboxThread({
    port: settings.sandboxPort,
    // The embedded sandbox has no dashboard in which an operator could save the settings of the customer portal. So these settings count as
    // saved.
    portalSavedFor: [secretKey],
    dataDir: path.join(settings.dataDir, 'sandbox'),
    log: (line) => logger.warn(line),
    clockOf: secretKey,
    onClockMoved: clock.onSandboxMoved,
  }).catch((error: unknown) => {
    throw sandboxFailure(error, 'RATECARD_SANDBOX_PORT', settings.sandboxPort)
  })
  closers.push(() => sandbox.close())
  const processor = createStripeProcessor({
    secretKey,
    apiBase: sandbox.url,
    budget: unlimitedBudget,
    clock,
    wallClock,
    onRequest,
  })
  return { processor, processorName: `sandbox at ${sandbox.url}`, processorMode: 'sandbox', sandboxUrl: sandbox.url }
}

/**
 * Calls `make`. Some keys cannot be sent in a request (e.g. a key with a space); converts the error for such a key to `settings_invalid`.
 */
function withSettings<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error
    throw new ServiceError('settings_invalid', error.message, { hint: 'Check STRIPE_SECRET_KEY.', cause: error })
  }
}

/** Converts a failed start of the sandbox to a service error. `setting` is the name of the setting that sets the sandbox's port. */
function sandboxFailure(error: unknown, setting: string, port: number): unknown {
  if (error instanceof StateUnavailable)
    // Of the errors handled here, only one has no hint: the error for a folder that another process uses.
    return new ServiceError(error.hint === undefined ? 'store_in_use' : 'settings_invalid', error.message, {
      hint: error.hint ?? 'Stop the other process first, or use another folder for this one.',
      cause: error,
    })
  return portTaken(error, setting, port) ?? error
}

/** Returns the secret key of the embedded sandbox's account. It is stored in the data directory, so that the account survives a restart. */
function embeddedSandboxKey(dataDir: string): string {
  const fresh = `sk_test_${randomBytes(18).toString('hex')}`
  return readOrCreate(path.join(dataDir, embeddedKeyFile), fresh)
}

function readOrCreate(file: string, fresh: string): string {
  try {
    writeFileSync(file, `${fresh}\n`, { mode: 0o600, flag: 'wx' })
    return fresh
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFileText(file)
  }
}

/** Returns the base URL for links. It is null if the port is picked at start; then links are relative. */
function publicUrlOf({ publicUrl, host, port }: Settings): string | null {
  return publicUrl ?? (port === 0 ? null : baseUrl(host, port))
}

function baseUrl(host: string, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${String(port)}`
}

async function listen(app: FastifyInstance, settings: Settings): Promise<string> {
  try {
    await app.listen({ host: settings.host, port: settings.port })
  } catch (error) {
    throw portTaken(error, 'RATECARD_PORT', settings.port) ?? error
  }
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : settings.port
  return baseUrl(settings.host, port)
}

function portTaken(error: unknown, setting: string, port: number): ServiceError | null {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return null
  return new ServiceError('settings_invalid', `Port ${String(port)} is in use by another program.`, {
    hint: `Stop that program, or choose another port with ${setting}${setting === 'RATECARD_PORT' ? ' or --port' : ''}.`,
    cause: error,
  })
}

/**
 * Returns a warning if other users can access an existing data folder, because they could read or replace the store. Returns null
 * otherwise. The service does not change the permissions of a folder that it did not create.
 */
function whoElseEnters(directory: string): string | null {
  const mode = statSync(directory).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return null
  const what = (mode & 0o022) === 0 ? 'read' : 'change'
  return `Other users of this machine may ${what} the data folder ${directory} (mode ${mode.toString(8)}), which holds keys and the store: chmod 700 ${directory}`
}

/** Prints a warning at start if the processor check of `/readyz` fails, because with such a key nothing can be pushed or sold. */
async function warnOfProcessor(
  service: Pick<Service, 'readiness'>,
  settings: Settings,
  out: (line: string) => void,
  logger: Logger,
): Promise<void> {
  const { processor } = (await service.readiness()).checks
  if (processor.ok) return
  const why = keyProblem(settings.stripeSecretKey ?? '') ?? processor.detail
  logger.error({ detail: why }, 'the processor cannot be used')
  out(
    `\n! The processor cannot be used: ${why}. Prices are served, but nothing can be pushed or sold until this is corrected.`,
  )
}

interface BannerParts {
  readonly url: string
  readonly sandboxUrl: string | null
  readonly workers: RuntimeState | null
  readonly settings: Settings
  readonly key: string | null
  readonly keyFiles: readonly string[]
  readonly showKey: boolean
}

function bannerText({ url, sandboxUrl, workers, settings, key, keyFiles, showKey }: BannerParts): string {
  const rows: [string, string][] = [
    ['API', `${url}/api/v1/billing/config`],
    ['Dashboard', `${url}/dashboard`],
    ['Docs', `${url}/docs`],
    ['Processor', sandboxUrl === null ? (settings.stripeApiBase ?? 'Stripe') : `sandbox at ${sandboxUrl}`],
    ['Store', settings.databaseUrl === null ? path.join(settings.dataDir, 'ratecard.db') : 'PostgreSQL'],
    ['Workers', workersRow(workers)],
    ['Service key', keyRow(settings, keyFiles)],
  ]
  const lines = ['Ratecard is ready', ...rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`)]
  if (key !== null)
    lines.push(
      '',
      showKey
        ? `  First service key, shown once: ${key}`
        : `  The first service key is in ${keyFiles[0] ?? 'the data folder'}; it is not printed into a log.`,
    )
  return lines.join('\n')
}

function workersRow(workers: RuntimeState | null): string {
  if (workers === null) return 'off'
  return workers.available ? workers.detail : `not available: ${workers.detail}`
}

function keyRow(settings: Settings, keyFiles: readonly string[]): string {
  if (settings.serviceKey !== null) return 'from RATECARD_SERVICE_KEY'
  return (
    keyFiles[0] ??
    'created at an earlier start. If it is lost, start the service once with a key of your own in RATECARD_SERVICE_KEY.'
  )
}

/** Compares the processor with a newly started sandbox. Throws before any request if the key is not a test-mode key. */
export async function verifySandbox(
  options: Omit<VerifyOptions, 'sandboxUrl' | 'clock'>,
): Promise<Awaited<ReturnType<typeof verify>>> {
  const unknown = options.only.find((id) => !scenarioIds.includes(id))
  if (unknown !== undefined)
    throw new ServiceError('request_invalid', `There is no scenario "${unknown}".`, {
      hint: `There are: ${scenarioIds.join(', ')}.`,
    })
  const { startSandbox } = await import('@ratecard/sandbox')
  const sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  try {
    return await verify({ ...options, clock: systemClock, sandboxUrl: sandbox.url })
  } catch (error) {
    throw asServiceError(error, 'call')
  } finally {
    await sandbox.close()
  }
}

/** Starts only the sandbox processor, e.g. for tests of another project. */
export async function startSandboxProcess(options: {
  readonly port: number
  readonly dataDir: string | null
  readonly deliverAnywhere: boolean
  readonly out: (line: string) => void
}): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (options.dataDir !== null) makePrivate(options.dataDir)
  const { port, dataDir, deliverAnywhere } = options
  const { startSandbox } = await import('@ratecard/sandbox')
  const sandbox = await startSandbox({ port, dataDir, deliverAnywhere, clock: systemClock }).catch((error: unknown) => {
    throw sandboxFailure(error, '--port', port)
  })
  options.out(
    [
      'The sandbox processor is ready',
      `  Stripe API   ${sandbox.url}`,
      '  Key          any sk_test_… key is a separate account',
      `  State        ${options.dataDir ?? 'in memory only'}`,
    ].join('\n'),
  )
  return { url: sandbox.url, close: () => sandbox.close() }
}
