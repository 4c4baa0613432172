// Bundles the compiler's output into `packages/ratecard/bundle`: a few files with command line and service, each loaded on demand. The
// bundle is published, and `npx ratecard` runs it in this repository. Pure JavaScript dependencies are inlined; their licences are in
// THIRD-PARTY-LICENSES.txt beside the bundle.
import { existsSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { _ } from 'ajv'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const product = path.join(root, 'packages/ratecard')
const dist = path.join(product, 'dist')
const bundle = path.join(product, 'bundle')

/**
 * Entry points of threads. The code that starts a thread looks for its file in its own folder, so all entry points are in the single folder
 * of the bundle.
 */
const threads = Object.fromEntries(
  [dist, path.join(root, 'packages/sandbox/dist')]
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name)))
    .filter(
      (file) => file.endsWith('thread-main.js') && existsSync(file.replace('/dist/', '/src/').replace(/js$/, 'ts')),
    )
    .map((file) => [path.basename(file, '.js'), file]),
)

const { notInBundle, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync(path.join(product, 'package.json'), 'utf8'),
)
/**
 * Packages that are not bundled: native modules, packages whose files are served, and runtimes. Our client is both inlined (for the
 * product) and published beside the bundle (for workers).
 */
const external = [...notInBundle, ...Object.keys({ ...optionalDependencies, ...peerDependencies })].filter(
  (name) => !name.startsWith('@ratecard/'),
)

/**
 * Replaces `import.meta.url` by the original module's address before bundling, so that files beside or above that module are still found.
 */
const ownAddress = {
  name: 'own-address',
  setup(context) {
    context.onLoad({ filter: /[\\/]packages[\\/][^\\/]+[\\/]dist[\\/].*\.js$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8')
      if (text.includes('thread-main') || !text.includes('import.meta.')) return { contents: text, loader: 'js' }
      const from = path.relative(bundle, file).split(path.sep).join('/')
      const address = `new URL(${JSON.stringify(from)}, import.meta.url)`
      const contents = text.replaceAll(/\bimport\.meta\.(url|dirname)\b/g, (_, what) =>
        what === 'url' ? `${address}.href` : `__fileURLToPath(new URL('./', ${address}))`,
      )
      return {
        contents: contents.includes('__fileURLToPath')
          ? `import { fileURLToPath as __fileURLToPath } from 'node:url'\n${contents}`
          : contents,
        loader: 'js',
      }
    })
  },
}

/**
 * Compiles the validation of the document's schema to code. Compiling it at run time would take longer than the rest of `billing validate`.
 */
async function compiledShape() {
  const file = path.join(dist, 'document/validation/compile-shape.js')
  const { documentParts, shapeCompiler } = await import(pathToFileURL(file).href)
  const parts = Object.entries(documentParts())
  const ajv = shapeCompiler({ source: true, esm: true, formats: _`formats` })
  const code = standaloneCode.default(ajv, Object.fromEntries(parts.map(([name]) => [name, name])))
  // The compiled validation is a separate file that is loaded on the first validation, because it is as long as the rest of a command.
  await build({
    stdin: {
      contents: `import { isMoment } from '../schema/moment.js'
const formats = { 'date-time': isMoment }
${code}`,
      resolveDir: path.dirname(file),
    },
    outfile: path.join(bundle, 'compiled-shape.cjs'),
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
  })
  const lists = JSON.stringify(Object.fromEntries(parts.map(([name, part]) => [name, part.lists])))
  const contents = `const lists = ${lists}
export const compileShape = () => {
  const checks = require('./compiled-shape.cjs')
  return Object.fromEntries(Object.entries(lists).map(([name, lists]) => [name, { validate: checks[name], lists }]))
}
`
  return {
    name: 'compiled-shape',
    setup(context) {
      context.onResolve({ filter: /compiled-shape\.cjs$/ }, ({ path: name }) => ({ path: name, external: true }))
      context.onLoad({ filter: /[\\/]dist[\\/]document[\\/]validation[\\/]compile-shape\.js$/ }, () => ({
        contents,
        loader: 'js',
        resolveDir: path.dirname(file),
      }))
    },
  }
}

/** Returns the name and licence text of each inlined third-party package. */
function licences(inputs) {
  const packages = new Map()
  for (const input of inputs) {
    const found = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(input)
    if (found === null || found[2].startsWith('@ratecard/')) continue
    packages.set(found[1], found[2])
  }
  const parts = [...packages]
    .sort(([, a], [, b]) => a.localeCompare(b))
    .map(([folder, name]) => {
      const at = path.join(root, folder)
      const { version, license } = JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8'))
      const file = readdirSync(at).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
      const text = file === undefined ? 'Its package holds no licence text.' : readFileSync(path.join(at, file), 'utf8')
      return `${name} ${version} (${license})\n\n${text.trim()}\n`
    })
  return parts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** True if no JavaScript file of the folder is newer than `time`. */
function isOlderThan(folder, time) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .every((entry) => statSync(path.join(entry.parentPath, entry.name)).mtimeMs <= time)
}

const stamp = path.join(bundle, 'cli.js')
const made = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0
const self = Math.max(
  ...[fileURLToPath(import.meta.url), path.join(product, 'package.json'), path.join(root, 'package-lock.json')].map(
    (file) => statSync(file).mtimeMs,
  ),
)
const compiled = [dist, path.join(root, 'packages/client/dist'), path.join(root, 'packages/sandbox/dist')]
if (made > self && compiled.every((folder) => isOlderThan(folder, made))) {
  // Nothing has to be bundled again. Updates the time of this file, because the command line compares it to detect a stale build.
  utimesSync(stamp, new Date(), new Date())
} else {
  if (existsSync(bundle)) rmSync(bundle, { recursive: true })
  const plugins = [await compiledShape(), ownAddress]
  const { metafile } = await build({
    entryPoints: { cli: path.join(dist, 'cli/main.js'), library: path.join(dist, 'server/library.js'), ...threads },
    outdir: bundle,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Prefers ES modules, because the CommonJS of some packages requires its own files in ways that cannot be bundled.
    mainFields: ['module', 'main'],
    external: [...external, 'pg-native', 'pg-cloudflare'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    legalComments: 'none',
    // Halves the text that Node keeps in memory. Names are not shortened, so that stack traces are readable.
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
    plugins,
  })
  writeFileSync(path.join(bundle, 'THIRD-PARTY-LICENSES.txt'), licences(Object.keys(metafile.inputs)))
  if (process.env.BUNDLE_META !== undefined) writeFileSync(process.env.BUNDLE_META, JSON.stringify(metafile))
}
