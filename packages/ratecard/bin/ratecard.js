#!/usr/bin/env node
// Plain JavaScript that an old Node can read: it finds a Node that is new enough, then loads the bundle, or the
// sources when there is no bundle or it is older than they are.
import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs'
import * as nodeModule from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const needed = [22, 14]
const bin = realpathSync(fileURLToPath(import.meta.url))
const root = path.dirname(path.dirname(bin))
const bundle = path.join(root, 'bundle/cli.js')

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > needed[0] || (major === needed[0] && minor >= needed[1])
}

/** The Node that the nearest ancestor folder has installed, as a workspace or a project pins it. */
function installedNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  for (let folder = root; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', '.bin', name)
    if (existsSync(candidate)) return candidate
    if (path.dirname(folder) === folder) return null
  }
}

async function runWith(node) {
  const { spawn } = await import('node:child_process')
  const child = spawn(node, [bin, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, RATECARD_NODE_CHOSEN: '1' },
  })
  // On a terminal Ctrl-C reaches the child by itself; passing it on would count as a second one.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => refuse(`${node} could not be started: ${error.message}`))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code === null ? 70 : code)
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name)
    process.kill(process.pid, signal)
  })
}

function refuse(why) {
  process.stderr.write(`ratecard: ${why}\nInstall Node 24 (https://nodejs.org), then try again.\n`)
  process.exit(70)
}

/** Whether no source of the packages is newer than the bundle. Without sources (an installed package) the bundle is all there is. */
function isBuilt(folders) {
  const made = statSync(bundle, { throwIfNoEntry: false })
  if (made === undefined) return false
  const pending = folders.map((folder) => path.join(folder, 'src')).filter((folder) => existsSync(folder))
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const name = `${folder}${path.sep}${entry.name}`
      if (entry.isDirectory()) pending.push(name)
      else if (name.endsWith('.ts') && statSync(name).mtimeMs > made.mtimeMs) return false
    }
  }
  return true
}

/** Compiled code of earlier starts, in a folder that only this user writes: who may write there decides what runs here. */
function keepCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  const cache = process.env.XDG_CACHE_HOME || (process.env.HOME && path.join(process.env.HOME, '.cache'))
  if (cache && path.isAbsolute(cache)) nodeModule.enableCompileCache?.(path.join(cache, 'ratecard'))
}

/** Sources import the other packages by name; their sources stand beside this one. */
function sourcesByName(folders) {
  const sources = new Map()
  for (const folder of folders) {
    const { name, exports = {} } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    for (const [at, target] of Object.entries(exports)) {
      const source = /^\.\/dist\/(.+)\.js$/.exec(target.default ?? '')?.[1]
      if (source !== undefined)
        sources.set(path.posix.join(name, at), pathToFileURL(path.join(folder, 'src', `${source}.ts`)).href)
    }
  }
  return sources
}

async function load() {
  // Only in the repository the other packages stand beside this one.
  const beside = existsSync(path.join(root, 'src')) ? ['client', 'sandbox'] : []
  const others = beside.map((name) => path.join(path.dirname(root), name)).filter((folder) => existsSync(folder))
  if (isBuilt([root, ...others])) {
    keepCompiledCode()
    return import(pathToFileURL(bundle).href)
  }
  if (!process.features.typescript || nodeModule.registerHooks === undefined)
    return refuse(
      `the build is missing or out of date, and Node ${process.versions.node} cannot run the sources. Run \`npm run build\`.`,
    )
  const sources = sourcesByName(others)
  nodeModule.registerHooks({
    resolve: (name, context, next) =>
      sources.has(name) ? { url: sources.get(name), shortCircuit: true } : next(name, context),
  })
  return import(pathToFileURL(path.join(root, 'src/cli/main.ts')).href)
}

if (process.argv.length === 3 && ['-v', '-V', '--version'].includes(process.argv[2])) {
  // Asked by scripts and by every second bug report: it needs nothing of what follows.
  process.stdout.write(`${JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version}\n`)
} else if (isNewEnough(process.versions.node)) {
  const { runProcess } = await load()
  await runProcess()
} else {
  const other = process.env.RATECARD_NODE_CHOSEN === '1' ? null : installedNode()
  if (other === null) refuse(`it needs Node ${needed.join('.')} or newer, and this is Node ${process.versions.node}.`)
  else await runWith(other)
}
