// Checks the types of workers with the TypeScript that the project has installed. Reads files only; no network.
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type ts from 'typescript'
import type { WorkerIssue, WorkerSource } from './read-workers.ts'

type TypeScript = typeof ts

/** Maximum number of reported issues, because nobody reads more at a time. */
const maxIssues = 50

export interface TypeCheck {
  /** Version of the project's TypeScript; null if the project has none. Then nothing was checked. */
  readonly version: string | null
  readonly issues: readonly WorkerIssue[]
}

/**
 * Checks the workers that are written in TypeScript, each with the nearest tsconfig.json. All issues are warnings, because a worker with a
 * type error can be bundled. Projects without a `typescript` package are not checked.
 */
export async function checkTypes(workers: readonly Pick<WorkerSource, 'folder' | 'manifest'>[]): Promise<TypeCheck> {
  const entries = workers.map(({ folder, manifest }) => path.resolve(folder, manifest.main)).filter(isTypeScript)
  const [first] = entries
  const typescript = first === undefined ? null : await projectTypeScript(first)
  if (typescript === null) return { version: null, issues: [] }
  const issues = entriesByConfig(typescript, entries).flatMap(([config, own]) => issuesOf(typescript, config, own))
  return { version: typescript.version, issues: issues.slice(0, maxIssues) }
}

const isTypeScript = (file: string) => /\.[cm]?tsx?$/.test(file)

/**
 * Returns the TypeScript compiler that a file of the project would import. Null if there is none, or if it has no API (e.g. a native
 * preview).
 */
async function projectTypeScript(file: string): Promise<TypeScript | null> {
  try {
    const found = createRequire(file).resolve('typescript')
    const module = (await import(pathToFileURL(found).href)) as { readonly default?: Partial<TypeScript> }
    return isCompiler(module.default) ? module.default : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

const isCompiler = (module: Partial<TypeScript> | undefined): module is TypeScript =>
  module?.createProgram !== undefined

function entriesByConfig(typescript: TypeScript, entries: readonly string[]) {
  const byConfig = new Map<string | null, string[]>()
  for (const entry of entries) {
    const config = typescript.findConfigFile(path.dirname(entry), (file) => typescript.sys.fileExists(file)) ?? null
    byConfig.set(config, [...(byConfig.get(config) ?? []), entry])
  }
  return [...byConfig]
}

function issuesOf(typescript: TypeScript, config: string | null, entries: readonly string[]): WorkerIssue[] {
  const { options, files, errors } = config === null ? plainConfig(typescript) : readConfig(typescript, config)
  const root = path.dirname(config ?? entries[0] ?? '.')
  const program = typescript.createProgram({
    // Includes declaration files of the configuration (e.g. worker-env.d.ts), but none of the project's other programs.
    rootNames: [...entries, ...files.filter((file) => /\.d\.[cm]?ts$/.test(file))],
    options: {
      ...options,
      ...withOwnClient(options, root),
      noEmit: true,
      composite: false,
      incremental: false,
      skipLibCheck: true,
    },
  })
  const found = entries.length === 0 ? [] : typescript.getPreEmitDiagnostics(program)
  return [...errors, ...found]
    .filter(({ category }) => category === typescript.DiagnosticCategory.Error)
    .map((diagnostic) => issueOf(typescript, diagnostic, config ?? entries[0] ?? root))
}

function readConfig(typescript: TypeScript, file: string) {
  const read = typescript.readConfigFile(file, (one) => typescript.sys.readFile(one))
  if (read.error !== undefined) return { options: {}, files: [], errors: [read.error] }
  const parsed = typescript.parseJsonConfigFileContent(read.config, typescript.sys, path.dirname(file))
  // A configuration that lists no files is no error here, because the files to check are the workers.
  const errors = parsed.errors.filter(({ code }) => code !== noInputs && code !== noInputsInFiles)
  return { options: parsed.options, files: parsed.fileNames, errors }
}

/** Codes of `No inputs were found in config file` and `The 'files' list is empty`. */
const noInputs = 18003
const noInputsInFiles = 18002

function plainConfig({ ScriptTarget, ModuleKind, ModuleResolutionKind }: TypeScript) {
  const options: ts.CompilerOptions = {
    ...{ target: ScriptTarget.ES2022, module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler },
    ...{ lib: ['lib.es2022.d.ts', 'lib.webworker.d.ts'], allowImportingTsExtensions: true, strict: false },
  }
  return { options, files: [], errors: [] }
}

/**
 * A project without `@ratecard/client` uses the client of this installation when it is bundled, so its types are checked with that client.
 */
function withOwnClient({ paths = {} }: ts.CompilerOptions, root: string): ts.CompilerOptions {
  try {
    createRequire(path.join(root, 'worker.js')).resolve('@ratecard/client/package.json')
    return {}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
  }
  const declarations = (name: string) => [fileURLToPath(import.meta.resolve(name)).replace(/\.js$/, '.d.ts')]
  const names = ['@ratecard/client', '@ratecard/client/webhooks']
  return { paths: { ...Object.fromEntries(names.map((name) => [name, declarations(name)])), ...paths } }
}

function issueOf(typescript: TypeScript, diagnostic: ts.Diagnostic, otherwise: string): WorkerIssue {
  const { file, start, code, messageText } = diagnostic
  const place = file === undefined || start === undefined ? null : typescript.getLineAndCharacterOfPosition(file, start)
  return {
    ...{ code: 'worker_types', severity: 'warning', file: path.normalize(file?.fileName ?? otherwise) },
    detail: `TS${String(code)}: ${typescript.flattenDiagnosticMessageText(messageText, ' ')}`,
    ...(place === null ? {} : { line: place.line + 1, column: place.character + 1 }),
  }
}
