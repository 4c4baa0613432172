// Bundles a script of this folder into one file, because loading it takes a fifth of the time of its hundreds of modules, and tests
// start it hundreds of times. Built from the same sources, without tree shaking or minification.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { onceInFile } from '../started.ts'

export interface Program {
  /** Arguments for `node`. */
  readonly args: readonly string[]
  /** Environment with a compile cache that is shared between starts. */
  readonly env: NodeJS.ProcessEnv
}

const require = createRequire(import.meta.url)

/** Keeps `import.meta.url` of each source, so that files beside it are found. Native modules stay outside of the bundle. */
const ownPlaces: Plugin = {
  name: 'own-places',
  setup(context) {
    context.onLoad({ filter: /[\\/](packages|test)[\\/].*\.ts$/ }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file))),
      loader: 'ts',
    }))
    context.onResolve({ filter: /^better-sqlite3$/ }, ({ path: name }) => ({
      path: pathToFileURL(require.resolve(name)).href,
      external: true,
    }))
  },
}

const programs = new Map<string, () => Promise<Program>>()

/** Bundles a file of this folder once for all tests of a test file. It is removed after the last of them. */
export function makeProgram(script: string): Promise<Program> {
  const once = programs.get(script) ?? onceInFile(() => bundle(script))
  programs.set(script, once)
  return once()
}

async function bundle(script: string): Promise<Program & { remove(): void }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ratecard-program-'))
  const file = path.join(folder, 'program.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL(script, import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    // The `main` of jsonc-parser requires its own files in a way that no bundler follows.
    mainFields: ['module', 'main'],
    logLevel: 'warning',
    plugins: [ownPlaces],
    // Inlined CommonJS modules need `require`.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return {
    args: ['--disable-warning=ExperimentalWarning', file],
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(folder, 'compiled') },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
