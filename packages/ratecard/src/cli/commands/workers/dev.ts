import path from 'node:path'
import { systemClock } from '../../../base/clock.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { openBundler, type Bundler } from '../../../workers/project/bundle.ts'
import { placeBundleIssues, type WorkerIssue, type WorkerSource } from '../../../workers/project/read-workers.ts'
import { watchSources } from '../../../workers/project/watch.ts'
import type { LocalWorker } from '../../../server/composition/local-worker.ts'
import type { Command, CommandContext } from '../../program/command.ts'
import { CliFailure, toFailure, usageFailure } from '../../failure.ts'
import { serverAddress, serverUrl } from '../../server-address.ts'
import { showIssues } from '../../views/issues.ts'
import { failOnErrors, readProjectWorkers, shownPath, variableNames, viewIssues } from './project.ts'
import { showLog, showRequest, showRun } from './terminal.ts'

const defaultPort = 8787

export const cloudWorkersDev: Command = {
  name: 'cloud workers dev',
  summary: 'Run a worker on this machine, with reload on save',
  description:
    'Uses the same runtime and limits as the server. If the code does not build or start after a save, the last good version keeps serving. GET /cdn-cgi/handler/scheduled?cron=… runs the scheduled handler.',
  arguments: [{ name: '[name]', description: 'Name of the worker, if the project has several.' }],
  options: [
    {
      flags: '--port <n>',
      description: 'Port to listen on; 0 picks a free port.',
      range: [0, 65_535],
      defaultText: '8787',
    },
    {
      flags: '--allow-host <host...>',
      description: 'Private hosts the worker may call, as host or host:port. The Ratecard server is always allowed.',
    },
  ],
  examples: [
    { command: 'ratecard cloud workers dev', what: 'on http://127.0.0.1:8787 with .env.dev' },
    {
      command: "curl 'localhost:8787/cdn-cgi/handler/scheduled?cron=*+*+*+*+*'",
      what: 'fires the scheduled handler',
    },
  ],
  run: async (context) => {
    const { args, io, out, global } = context
    const session = await open(context, args[0])
    try {
      if (global.json) io.stdout.write(`${JSON.stringify({ name: session.name, url: session.local.url })}\n`)
      out.say(`\n${out.paint.bold(session.name)} on ${out.paint.cyan(session.local.url)}`)
      await session.serve()
    } finally {
      await session.close()
    }
    return {}
  },
}

async function open(context: CommandContext, name: string | undefined): Promise<DevSession> {
  const { options } = context
  const source = chooseWorker(context, name)
  const { startLocalWorker } = await import('../../../server/composition/local-worker.ts')
  const port = options.whole('port') ?? defaultPort
  const local = await startLocalWorker({
    port,
    clock: systemClock,
    serviceUrl: serverUrl(context),
    serviceKey: source.manifest.serviceKey === null ? null : serverAddress(context).key,
    allowedHosts: options.list('allowHost'),
    onLog: (line) => showLog(context, line),
    onRequest: (request) => showRequest(context, request),
    onRun: (cron, result) => showRun(context, cron, result),
  }).catch((error: unknown) => {
    throw portFailure(error, port)
  })
  return new DevSession(context, local, source, name)
}

function chooseWorker(context: CommandContext, name: string | undefined): WorkerSource {
  const read = readProjectWorkers(context, name === undefined ? [] : [name])
  failOnErrors(context, read.issues)
  const [first, ...others] = read.workers
  if (first === undefined || others.length > 0)
    throw usageFailure(
      'The project has several workers; dev runs one.',
      `Name it: ${read.workers.map(({ manifest }) => `\`ratecard cloud workers dev ${manifest.name}\``).join(', ')}.`,
    )
  return first
}

function portFailure(error: unknown, port: number): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return error
  return new CliFailure(1, {
    code: 'address_in_use',
    title: 'The port is taken',
    detail: `Another program listens on port ${port}, maybe another \`cloud workers dev\`.`,
    hint: `Stop it, or choose another one: \`ratecard cloud workers dev --port ${port + 1}\`.`,
  })
}

/** A dev session of one worker. Only one reload runs at a time; changes during a reload cause one further reload. */
class DevSession {
  readonly local: LocalWorker
  private readonly context: CommandContext
  private readonly wanted: string | undefined
  private source: WorkerSource
  private bundler: Bundler | null = null
  private bundled = ''
  private reloading: Promise<void> | null = null
  private again = false
  /** True after a key press that requests a reload. The next reload then runs even if the code is unchanged. */
  private forced = false
  private readonly stopped = new AbortController()
  private lastIssues = ''

  constructor(context: CommandContext, local: LocalWorker, source: WorkerSource, wanted: string | undefined) {
    this.context = context
    this.local = local
    this.source = source
    this.wanted = wanted
  }

  get name(): string {
    return this.source.manifest.name
  }

  async serve(): Promise<void> {
    const { io, out } = this.context
    const stop = () => this.stopped.abort()
    io.signal.addEventListener('abort', stop, { once: true })
    if (io.signal.aborted) stop()
    await this.reload()
    const environmentFile = readProjectWorkers(this.context, [this.name]).environment.path
    const watch = watchSources(this.source.folder, [environmentFile], () => {
      void this.reload().then(() => watch.follow(this.bundler?.inputs() ?? []))
    })
    watch.follow(this.bundler?.inputs() ?? [])
    const release = io.keys?.((key) => this.onKey(key))
    if (release !== undefined) out.say(out.paint.dim('  s runs the scheduled handler · r reloads · q ends'))
    if (!this.stopped.signal.aborted)
      await new Promise<void>((resolve) =>
        this.stopped.signal.addEventListener('abort', () => resolve(), { once: true }),
      )
    release?.()
    watch.close()
    io.signal.removeEventListener('abort', stop)
  }

  async close(): Promise<void> {
    await this.reloading
    await this.bundler?.close()
    await this.local.close()
  }

  private onKey(key: string): void {
    const { crons } = this.source.manifest
    if (key === 'q' || key === '\u0003' || key === '\u0004') this.stopped.abort()
    else if (key === 'r') {
      this.forced = true
      void this.reload()
    } else if (key === 's') void this.local.trigger(crons[0]?.expression ?? '* * * * *')
    else if (/^[1-9]$/.test(key) && crons[Number(key) - 1] !== undefined)
      void this.local.trigger(crons[Number(key) - 1]!.expression)
  }

  private reload(): Promise<void> {
    if (this.reloading !== null) {
      this.again = true
      return this.reloading
    }
    this.reloading = this.reloadUntilQuiet().finally(() => (this.reloading = null))
    return this.reloading
  }

  private async reloadUntilQuiet(): Promise<void> {
    do {
      this.again = false
      await this.reloadOnce().catch((error: unknown) => this.showFailure(error))
    } while (this.isWantedAgain())
  }

  private isWantedAgain(): boolean {
    return this.again
  }

  private async reloadOnce(): Promise<void> {
    const { out, io } = this.context
    const startedAt = performance.now()
    const read = readProjectWorkers(this.context, this.wanted === undefined ? [] : [this.wanted])
    const source = read.workers.find(({ folder }) => folder === this.source.folder)
    if (source === undefined) {
      this.showIssues(read.issues)
      return
    }
    const bundler = await this.bundlerOf(source)
    const { bundle, issues } = await bundler.bundle()
    this.showIssues([...read.issues, ...placeBundleIssues(source, issues)])
    if (bundle === null) return
    const now = JSON.stringify([
      bundle.code,
      bundle.modules.map(({ name }) => name),
      source.manifest,
      [...source.variables],
    ])
    if (now === this.bundled && !this.forced) return
    this.forced = false
    await this.local.replace(source, bundle)
    const first = this.bundled === ''
    this.bundled = now
    this.source = source
    const time = `${Math.round(performance.now() - startedAt)} ms`
    if (!first) out.say(`${out.paint.green('✓')} reloaded ${out.paint.dim(`in ${time}`)}`)
    else this.showStart(shownPath(io.cwd, read.environment.path), read.environment.text !== null, time)
  }

  private showStart(file: string, present: boolean, time: string): void {
    const { out } = this.context
    const names = variableNames(this.source)
    out.say(
      `  ready in ${time}; variables of ${present ? file : path.basename(this.source.file)}: ${names.join(', ') || 'none'}`,
    )
    this.source.manifest.crons.forEach(({ expression }, index) => {
      out.say(`  cron ${index + 1}: ${expression}  ${out.paint.dim('(runs on request only)')}`)
    })
  }

  private async bundlerOf(source: WorkerSource): Promise<Bundler> {
    if (this.bundler !== null && source.manifest.main === this.source.manifest.main) return this.bundler
    await this.bundler?.close()
    this.bundler = await openBundler({ entry: source.manifest.main, workingDirectory: source.folder })
    return this.bundler
  }

  /** Prints issues, unless they are the same as after the last save. */
  private showIssues(issues: readonly WorkerIssue[]): void {
    const { out } = this.context
    const text = issues.length === 0 ? '' : showIssues(viewIssues(this.context, issues), out.paint)
    const broken = issues.some(({ severity }) => severity === 'error')
    if (text !== '' && (broken || text !== this.lastIssues)) out.note(text)
    if (broken) out.note(this.keeps())
    this.lastIssues = text
  }

  private showFailure(error: unknown): void {
    const { out } = this.context
    const { problem } = error instanceof ServiceError ? { problem: { detail: error.message } } : toFailure(error)
    out.note(`${out.paint.red('error')} ${problem.detail}`)
    out.note(this.keeps())
  }

  private keeps(): string {
    const { paint } = this.context.out
    return paint.dim(
      this.bundled === '' ? '  Nothing serves yet; save to try again.' : '  The last good version keeps serving.',
    )
  }
}
