// Creates the tarballs to publish:  node scripts/pack.mjs [--out <folder>]
// The tarball of `ratecard` contains the packages of this repository that it needs at run time (npm's bundled dependencies), so users
// install this tarball only. The sandbox is part of its JavaScript bundle. npm bundles only packages in the package's own node_modules,
// but workspaces are links in the root's node_modules. So the package is copied to a staging folder.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const flag = process.argv.indexOf('--out')
const out = path.resolve(flag < 0 ? root : (process.argv[flag + 1] ?? root))

const readManifest = (folder) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
const folders = readManifest(root)
  .workspaces.map((name) => path.join(root, name))
  .filter((folder) => readManifest(folder).private !== true)
const own = new Map(folders.map((folder) => [readManifest(folder).name, folder]))

/** Copies the published files of a package, without files that only the compiler needs. */
function copyPackage(from, to) {
  const { files = [] } = readManifest(from)
  for (const name of ['package.json', ...files]) {
    const source = path.join(from, name)
    if (!existsSync(source)) continue
    cpSync(source, path.join(to, name), { recursive: true, filter: (file) => !file.endsWith('.tsbuildinfo') })
  }
}

function stage(folder, to) {
  copyPackage(folder, to)
  const { devDependencies: _, scripts: __, notInBundle, ...manifest } = readManifest(folder)
  // Removes the dependencies that are inlined in the bundle, because users need not install them.
  if (notInBundle !== undefined)
    manifest.dependencies = Object.fromEntries(notInBundle.map((name) => [name, manifest.dependencies[name]]))
  const needed = Object.keys(manifest.dependencies ?? {}).filter((name) => own.has(name))
  for (const name of needed) copyPackage(own.get(name), path.join(to, 'node_modules', name))
  const published = needed.length === 0 ? manifest : { ...manifest, bundleDependencies: needed }
  writeFileSync(path.join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

if (!existsSync(path.join(root, 'packages/ratecard/bundle/cli.js'))) throw new Error('There is no build: npm run build')
mkdirSync(out, { recursive: true })
const staging = mkdtempSync(path.join(os.tmpdir(), 'ratecard-pack-'))
try {
  for (const folder of folders) {
    const staged = path.join(staging, path.basename(folder))
    stage(folder, staged)
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', out]
    const packed = spawnSync('npm', args, { cwd: staged, encoding: 'utf8', shell: process.platform === 'win32' })
    if (packed.status !== 0) throw new Error(`npm pack failed in ${path.basename(folder)}: ${packed.stderr}`)
    console.log(path.join(out, packed.stdout.trim().split('\n').at(-1) ?? ''))
  }
} finally {
  rmSync(staging, { recursive: true, force: true })
}
