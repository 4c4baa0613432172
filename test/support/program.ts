// A script beside this file as a program in one file: a process that is started hundreds of times has read it in a fifth of the
// time that its hundreds of modules take. Of the same sources; nothing is left out and nothing made smaller.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Plugin } from 'esbuild'

export interface Program {
  /** Arguments of `node`. */
  readonly args: readonly string[]
  /** Keeps the compiled code between one start and the next. */
  readonly env: NodeJS.ProcessEnv
  remove(): void
}

const require = createRequire(import.meta.url)

/** A source keeps its own address, so what it reads or starts beside itself is found; native parts stay where they are. */
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

/** `script` is the name of a file beside this one. Whoever makes it removes it. */
export async function makeProgram(script: string): Promise<Program> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ratecard-program-'))
  const file = path.join(folder, 'program.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL(script, import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    // The `main` of jsonc-parser asks for its own files in a way that no bundler follows.
    mainFields: ['module', 'main'],
    logLevel: 'warning',
    plugins: [ownPlaces],
    // What is written for `require` needs one.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return {
    args: ['--disable-warning=ExperimentalWarning', file],
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(folder, 'compiled') },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
