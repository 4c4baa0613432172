#!/usr/bin/env node
// Plain JavaScript that an old Node can read: it finds a Node that is new enough, then loads the build, or the sources
// when there is no build or it is older than they are.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import * as nodeModule from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const needed = [22, 14]
const bin = realpathSync(fileURLToPath(import.meta.url))
const root = path.dirname(path.dirname(bin))

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

function runWith(node) {
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

/** Whether each source file has an output that is not older. Without sources (an installed package) the build is all there is. */
function isBuilt(folder) {
  const source = path.join(folder, 'src')
  if (!existsSync(source)) return true
  const pending = ['']
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    for (const entry of readdirSync(path.join(source, part), { withFileTypes: true })) {
      const name = path.join(part, entry.name)
      if (entry.isDirectory()) pending.push(name)
      else if (name.endsWith('.ts') && !name.endsWith('.d.ts')) {
        const output = statSync(path.join(folder, 'dist', name.replace(/\.ts$/, '.js')), { throwIfNoEntry: false })
        if (output === undefined || output.mtimeMs < statSync(path.join(source, name)).mtimeMs) return false
      }
    }
  }
  return true
}

async function load() {
  const client = path.join(path.dirname(root), 'client')
  if (isBuilt(root) && isBuilt(client)) return import(pathToFileURL(path.join(root, 'dist/cli/main.js')).href)
  if (!process.features.typescript || nodeModule.registerHooks === undefined)
    return refuse(
      `the build is missing or out of date, and Node ${process.versions.node} cannot run the sources. Run \`npm run build\`.`,
    )
  const clientSource = path.join(client, 'src/client.ts')
  if (existsSync(clientSource)) {
    const url = pathToFileURL(clientSource).href
    nodeModule.registerHooks({
      resolve: (name, context, next) =>
        name === '@ratecard/client' ? { url, shortCircuit: true } : next(name, context),
    })
  }
  return import(pathToFileURL(path.join(root, 'src/cli/main.ts')).href)
}

if (isNewEnough(process.versions.node)) {
  const { runProcess } = await load()
  await runProcess()
} else {
  const other = process.env.RATECARD_NODE_CHOSEN === '1' ? null : installedNode()
  if (other === null) refuse(`it needs Node ${needed.join('.')} or newer, and this is Node ${process.versions.node}.`)
  else runWith(other)
}
