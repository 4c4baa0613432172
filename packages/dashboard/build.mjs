// Bundles the dashboard into the package that serves it: files with a content hash in their name, an index, and a list of all files.
// Unchanged inputs are not bundled again. Plain JavaScript, because `npm ci` runs it.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const source = path.join(root, 'packages/dashboard/src')
const target = path.join(root, 'packages/ratecard/dist/pages')
const manifest = path.join(target, 'manifest.json')
const mount = '/dashboard'

/** Inputs of the bundle: the dashboard's sources, the code of the service that it shares, and the client. */
const inputs = [
  source,
  path.join(root, 'packages/client/dist'),
  ...['src/base', 'src/document', 'templates'].map((room) => path.join(root, 'packages/ratecard', room)),
  fileURLToPath(import.meta.url),
]

function newest(place) {
  const stats = statSync(place)
  if (!stats.isDirectory()) return stats.mtimeMs
  return Math.max(0, ...readdirSync(place).map((name) => newest(path.join(place, name))))
}

const isBuilt = () => existsSync(manifest) && statSync(manifest).mtimeMs >= Math.max(...inputs.map(newest))

/**
 * Shared code may use Node in functions that no page calls. Marking Node's modules as free of side effects leaves them out of the bundle.
 */
const nothingOfNode = {
  name: 'nothing-of-node',
  setup({ onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path: name }) => ({ path: name, external: true, sideEffects: false }))
  },
}

/** Bundles all pages. The files of the last build stay in place until the new ones are complete. */
export async function buildDashboard() {
  if (!existsSync(path.join(root, 'node_modules/react'))) {
    console.log('build: the dashboard is skipped, because its development dependencies are not installed')
    return
  }
  if (isBuilt()) return
  const { build } = await import('esbuild')
  const fresh = `${target}.new`
  rmSync(fresh, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: path.join(source, 'main.tsx'), page: path.join(source, 'styles/base.css') },
    outdir: path.join(fresh, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    publicPath: `${mount}/assets`,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022'],
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    plugins: [nothingOfNode],
    logLevel: 'warning',
  })
  for (const { imports, entryPoint } of Object.values(metafile.outputs))
    for (const { path: name } of imports)
      if (name.startsWith('node:')) throw new Error(`${entryPoint ?? 'a chunk'} needs ${name}, which browsers lack`)
  const names = Object.keys(metafile.outputs).map((file) => path.basename(file))
  const named = (pattern) => {
    const found = names.find((name) => pattern.test(name))
    if (found === undefined) throw new Error(`the bundle has no file like ${pattern}`)
    return `${mount}/assets/${found}`
  }
  const page = {
    shell: await renderShell(build, fresh),
    script: named(/^main-\w+\.js$/),
    style: named(/^main-\w+\.css$/),
    first: firstChunks(metafile),
  }
  mkdirSync(fresh, { recursive: true })
  writeFileSync(path.join(fresh, 'index.html'), indexPage(page))
  writeFileSync(
    path.join(fresh, 'manifest.json'),
    `${JSON.stringify({ styleSheet: named(/^page-\w+\.css$/), scripts: scriptsOf(metafile, page), files: names.sort() }, null, 2)}\n`,
  )
  rmSync(target, { recursive: true, force: true })
  renameSync(fresh, target)
}

/** Renders the frame of every page as HTML, which is visible before the script has loaded. */
async function renderShell(build, folder) {
  const file = path.join(folder, 'shell.mjs')
  await build({
    absWorkingDir: root,
    entryPoints: [path.join(source, 'shell.tsx')],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  })
  const { shell } = await import(pathToFileURL(file).href)
  rmSync(file)
  return shell()
}

const addressOf = (file) => `${mount}/assets/${path.basename(file)}`
/** What a script imports at once. */
const importedBy = (output) =>
  (output?.imports ?? []).filter(({ kind }) => kind === 'import-statement').map((one) => addressOf(one.path))

/** Returns the chunks that the first script imports. The browser fetches them together with that script instead of after it. */
function firstChunks({ outputs }) {
  const [main] = Object.entries(outputs).filter(([file]) => /\/main-\w+\.js$/.test(file))
  return importedBy(main?.[1])
}

/** Returns, for each path in `pages.ts`, the scripts that the browser is to fetch together with the first script. */
function scriptsOf({ outputs }, { first }) {
  const places = readFileSync(path.join(source, 'frame/pages.ts'), 'utf8').matchAll(
    /'(\/[^']+)': pageOf\(\(\) => import\('\.\.\/(pages\/\w+\.tsx)'\)/g,
  )
  const files = Object.fromEntries(Array.from(places, ([, place, file]) => [file, place]))
  const pages = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint?.includes('/src/pages/'))
  return Object.fromEntries(
    pages.map(([name, output]) => {
      const place = files[path.relative(source, path.join(root, output.entryPoint))]
      if (place === undefined) throw new Error(`pages.ts has no path for ${output.entryPoint}`)
      return [place, [addressOf(name), ...importedBy(output)].filter((file) => !first.includes(file))]
    }),
  )
}

const indexPage = ({ shell, script, style, first }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Ratecard</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
${first.map((file) => `<link rel="modulepreload" href="${file}">\n`).join('')}</head>
<body><div id="root">${shell}</div><noscript><p>The dashboard needs JavaScript. The command line does not: <code>ratecard --help</code>.</p></noscript></body>
</html>
`

/** Returns the paths of the files that the first page loads. Used by the benchmark and the tests. */
export function firstPageFiles() {
  const html = readFileSync(path.join(target, 'index.html'), 'utf8')
  return [...html.matchAll(/(?:src|href)="\/dashboard\/assets\/([^"]+)"/g)].map(([, name]) =>
    path.join(target, 'assets', name),
  )
}
