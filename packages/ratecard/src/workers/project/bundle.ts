// One worker's sources into the modules the runtime loads. Decides what a bundle may contain and how large it may be;
// never reads the manifest and never starts anything.
import { readFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { build } from 'esbuild'
import type { BuildFailure, Message, Metafile, OutputFile, Plugin } from 'esbuild'

export type BundleModule =
  | { readonly name: string; readonly type: 'text'; readonly content: string }
  | { readonly name: string; readonly type: 'wasm' | 'data'; readonly content: Uint8Array }

export interface WorkerBundle {
  /** One ES module. */
  readonly code: string
  /** Source map, version 3, as JSON; its sources are relative to the working directory. */
  readonly sourceMap: string
  /** What the code imports beside itself, under exactly these names. */
  readonly modules: readonly BundleModule[]
  /** Bytes of code and modules; the source map is not counted, as it never reaches the runtime. */
  readonly bytes: number
}

export interface BundleIssue {
  readonly severity: 'error' | 'warning'
  readonly detail: string
  readonly hint?: string
  /** Absent when the whole bundle is meant; `column` counts from 1. */
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

export interface BundleResult {
  /** null when any issue is an error. */
  readonly bundle: WorkerBundle | null
  readonly issues: readonly BundleIssue[]
}

export interface BundleOptions {
  /** The entry file: absolute, or relative to `workingDirectory`. */
  readonly entry: string
  /** Where paths of issues and sources start; usually the folder of the manifest. */
  readonly workingDirectory: string
  readonly minify?: boolean
}

export const maxBundleBytes = 10 * 1024 * 1024

/** The class the host adds to every worker; a worker's own export of that name would take its place. */
const reservedExport = '__Ctl'

const moduleTypes: Readonly<Record<string, BundleModule['type']>> = {
  '.wasm': 'wasm',
  '.bin': 'data',
  '.txt': 'text',
  '.html': 'text',
  '.sql': 'text',
}

/** Bundles with esbuild. What is wrong with the author's code is returned as issues; only a broken installation throws. */
export async function bundleWorker(options: BundleOptions): Promise<BundleResult> {
  const modules = new Map<string, BundleModule>()
  try {
    const result = await build({
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
      plugins: [nodeModules, importedModules(modules)],
    })
    const warnings = result.warnings.map((message) => issueOf('warning', message))
    return finish(result.outputFiles, result.metafile, [...modules.values()], warnings)
  } catch (error) {
    if (!isBuildFailure(error)) throw error
    const issues = [
      ...error.errors.map((message) => issueOf('error', message)),
      ...error.warnings.map((message) => issueOf('warning', message)),
    ]
    return { bundle: null, issues }
  }
}

function finish(
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
        detail: `The worker exports "${reservedExport}", a name the host needs for itself.`,
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
  const hint = largest ? `Its largest file is ${largest[0]} (${megabytes(largest[1].bytesInOutput)}).` : undefined
  const detail = `The bundle has ${megabytes(bytes)}; at most ${megabytes(maxBundleBytes)} are allowed.`
  return [{ severity: 'error', detail, ...(hint === undefined ? {} : { hint }) }]
}

function megabytes(bytes: number): string {
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`
}

/**
 * `import 'crypto'` means `node:crypto`, as on Cloudflare, unless the project installed a package of that name. A CommonJS
 * `require` of it goes through an ES import: the runtime has no `require`, and esbuild's stand-in only throws.
 */
const nodeModules: Plugin = {
  name: 'node-modules',
  setup(context) {
    const bare = builtinModules.filter((name) => /^[a-z]/.test(name)).join('|')
    context.onResolve({ filter: new RegExp(`^(node:.*|${bare})$`) }, async (args) => {
      if (args.pluginData === nodeModules) return undefined
      if (!args.path.startsWith('node:')) {
        const { kind, resolveDir, importer } = args
        const found = await context.resolve(args.path, { kind, resolveDir, importer, pluginData: nodeModules })
        if (found.errors.length === 0) return found
      }
      const name = args.path.startsWith('node:') ? args.path : `node:${args.path}`
      return args.kind === 'require-call' ? { path: name, namespace: 'required' } : { path: name, external: true }
    })
    context.onLoad({ filter: /.*/, namespace: 'required' }, ({ path: name }) => ({
      contents: `import module_ from ${JSON.stringify(name)}; module.exports = module_`,
    }))
  },
}

function importedModules(modules: Map<string, BundleModule>): Plugin {
  return {
    name: 'imported-modules',
    setup(context) {
      context.onResolve({ filter: /\.(wasm|bin|txt|html|sql)(\?module)?$/ }, async (args) => {
        if (args.pluginData === modules) return undefined
        const found = await context.resolve(args.path.replace(/\?module$/, ''), {
          kind: args.kind,
          resolveDir: args.resolveDir,
          importer: args.importer,
          pluginData: modules,
        })
        if (found.errors.length > 0) return { errors: found.errors }
        const content = await readFile(found.path)
        const type = moduleTypes[path.extname(found.path)] ?? 'data'
        // The digest keeps two files of one name apart; the name is what shows in traces.
        const digest = createHash('sha256').update(content).digest('hex').slice(0, 10)
        const name = `./${digest}-${path.basename(found.path).replace(/[^\w.-]/g, '_')}`
        modules.set(name, type === 'text' ? { name, type, content: content.toString('utf8') } : { name, type, content })
        return { path: name, external: true }
      })
    },
  }
}

function issueOf(severity: BundleIssue['severity'], message: Message): BundleIssue {
  const { location } = message
  const hint = message.notes.map((note) => note.text).join(' ')
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
