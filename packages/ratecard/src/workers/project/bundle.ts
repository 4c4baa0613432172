// Bundles the sources of a worker into the modules that the runtime loads. Decides the allowed content and size of a bundle; never reads
// the manifest and never starts a worker.
import path from 'node:path'
import type { BuildFailure, BuildOptions, BuildResult, Message, Metafile, OutputFile } from 'esbuild'
import {
  importedModules,
  nodeModules,
  ownClient,
  utf8Sources,
  type BundleModule,
  type ImportedModules,
} from './bundle-plugins.ts'

export interface WorkerBundle {
  /** Source text of one ES module. */
  readonly code: string
  /** Source map (version 3) as JSON. Source paths are relative to the working directory. */
  readonly sourceMap: string
  /** Modules that the code imports. Each `name` is spelled as in the import. */
  readonly modules: readonly BundleModule[]
  /**
   * Size of code and modules in bytes, at most {@link maxBundleBytes}. The source map is not counted, because the runtime never loads it.
   */
  readonly bytes: number
}

export interface BundleIssue {
  readonly severity: 'error' | 'warning'
  readonly detail: string
  readonly hint?: string
  /** Source file of the issue; absent if the issue concerns the whole bundle. `column` counts from 1. */
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

export interface BundleResult {
  /** The bundle; null if any issue is an error. */
  readonly bundle: WorkerBundle | null
  readonly issues: readonly BundleIssue[]
}

export interface BundleOptions {
  /** Path of the entry file: absolute, or relative to `workingDirectory`. */
  readonly entry: string
  /** Base folder of the paths in issues and source maps, usually the folder of the manifest. */
  readonly workingDirectory: string
  readonly minify?: boolean
}

export const maxBundleBytes = 10 * 1024 * 1024

/** Name of the class that the worker host adds to every worker. An author's export of the same name would replace that class. */
const reservedExport = '__Ctl'

/** Bundles a worker with esbuild. Errors in the author's code are returned as issues. Rejects only if the installation is broken. */
export async function bundleWorker(options: BundleOptions): Promise<BundleResult> {
  const modules: ImportedModules = new Map()
  const { build } = await import('esbuild')
  return settle(() => build(buildOptions(options, modules)), modules)
}

/** Bundles one worker repeatedly, with esbuild's cache of unchanged files. Calls must not overlap. */
export interface Bundler {
  bundle(): Promise<BundleResult>
  /** Returns the absolute paths of the source files of the last successful bundle, without files of installed packages. */
  inputs(): readonly string[]
  close(): Promise<void>
}

export async function openBundler(options: BundleOptions): Promise<Bundler> {
  const modules: ImportedModules = new Map()
  const base = path.resolve(options.workingDirectory)
  const { context } = await import('esbuild')
  const made = await context(buildOptions(options, modules))
  let inputs: readonly string[] = [path.resolve(base, options.entry)]
  return {
    async bundle() {
      modules.clear()
      return settle(async () => {
        const result = await made.rebuild()
        const files = Object.keys(result.metafile.inputs).map((file) => path.resolve(base, file))
        inputs = [...files, ...[...modules.values()].map(({ file }) => file)].filter(
          (file) => !file.split(path.sep).includes('node_modules'),
        )
        return result
      }, modules)
    },
    inputs: () => inputs,
    close: () => made.dispose(),
  }
}

function buildOptions(options: BundleOptions, modules: ImportedModules) {
  return {
    absWorkingDir: path.resolve(options.workingDirectory),
    entryPoints: [options.entry],
    outfile: 'worker.js',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['workerd', 'worker', 'browser', 'module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    sourcemap: 'external',
    sourcesContent: true,
    minify: options.minify ?? false,
    keepNames: true,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [utf8Sources, nodeModules, ownClient, importedModules(modules)],
  } as const satisfies BuildOptions
}

type BuildOutput = BuildResult<ReturnType<typeof buildOptions>>

async function settle(run: () => Promise<BuildOutput>, modules: ImportedModules): Promise<BundleResult> {
  try {
    const result = await run()
    const warnings = result.warnings.map((message) => issueOf('warning', message))
    return toBundleResult(
      result.outputFiles,
      result.metafile,
      [...modules.values()].map(({ module }) => module),
      warnings,
    )
  } catch (error) {
    if (!isBuildFailure(error)) throw error
    const issues = [
      ...error.errors.map((message) => issueOf('error', message)),
      ...error.warnings.map((message) => issueOf('warning', message)),
    ]
    return { bundle: null, issues }
  }
}

function toBundleResult(
  files: readonly OutputFile[],
  metafile: Metafile,
  modules: readonly BundleModule[],
  warnings: readonly BundleIssue[],
): BundleResult {
  const code = files.find((file) => file.path.endsWith('.js'))
  const map = files.find((file) => file.path.endsWith('.map'))
  if (!code || !map) throw new Error('esbuild returned no output')
  const bytes = modules.reduce((sum, module) => sum + Buffer.byteLength(module.content), code.contents.byteLength)
  const output = Object.values(metafile.outputs).find((item) => item.entryPoint !== undefined)
  const issues = [...exportIssues(output?.exports ?? [], output?.entryPoint), ...sizeIssues(bytes, output), ...warnings]
  if (issues.some((issue) => issue.severity === 'error')) return { bundle: null, issues }
  return { bundle: { code: code.text, sourceMap: map.text, modules, bytes }, issues }
}

function exportIssues(exports: readonly string[], file: string | undefined): BundleIssue[] {
  const place = file === undefined ? {} : { file }
  if (exports.includes(reservedExport))
    return [
      {
        severity: 'error',
        detail: `The worker exports "${reservedExport}", a name that is reserved for the host.`,
        hint: 'Rename the export.',
        ...place,
      },
    ]
  if (exports.includes('default')) return []
  return [
    {
      severity: 'error',
      detail: 'The worker has no default export.',
      hint: 'Write `export default { async fetch(request, env, ctx) { … } }`.',
      ...place,
    },
  ]
}

function sizeIssues(bytes: number, output: Metafile['outputs'][string] | undefined): BundleIssue[] {
  if (bytes <= maxBundleBytes) return []
  const largest = Object.entries(output?.inputs ?? {}).toSorted((a, b) => b[1].bytesInOutput - a[1].bytesInOutput)[0]
  const hint = largest ? `Its largest file is ${largest[0]} (${megabytesText(largest[1].bytesInOutput)}).` : undefined
  const detail = `The bundle has ${megabytesText(bytes)}; at most ${megabytesText(maxBundleBytes)} are allowed.`
  return [{ severity: 'error', detail, ...(hint === undefined ? {} : { hint }) }]
}

function megabytesText(bytes: number): string {
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`
}

function issueOf(severity: BundleIssue['severity'], message: Message): BundleIssue {
  const { location } = message
  const notes = message.notes.map((note) => note.text).join(' ')
  // esbuild advises to mark a missing import as external. This advice is omitted: the worker would then fail at its start instead of at its
  // build.
  const missing = /^Could not resolve "([^"]+)"/.exec(message.text)?.[1]
  const hint =
    missing === undefined
      ? notes
      : missing.startsWith('.')
        ? 'Correct the path.'
        : `Install it: npm install ${missing.split('/', missing.startsWith('@') ? 2 : 1).join('/')}`
  return {
    severity,
    detail: message.text,
    ...(hint === '' ? {} : { hint }),
    ...(location ? { file: location.file, line: location.line, column: location.column + 1 } : {}),
  }
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors) && 'warnings' in error
}
