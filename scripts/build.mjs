// Builds what is installed from this repository: the client, then the product. Incremental; a second run does nothing.
// Plain JavaScript without dependencies: `npm ci` starts it as `prepare`, maybe on an older Node than the product's own.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const projects = ['packages/client', 'packages/ratecard']
const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
const pinned = path.join(root, 'node_modules/.bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** The running Node when it is new enough, else the one that the repository pins. */
function chooseNode() {
  const major = Number(process.versions.node.split('.')[0])
  if (major >= 22) return process.execPath
  return existsSync(pinned) ? pinned : process.execPath
}

function build() {
  if (!existsSync(compiler)) {
    console.log('build: skipped, because the compiler is not installed (development dependencies were left out)')
    return 0
  }
  const result = spawnSync(chooseNode(), [compiler, '--build', ...projects], { cwd: root, stdio: 'inherit' })
  if (result.error !== undefined) {
    console.error(`build: the compiler could not be started: ${result.error.message}`)
    return 1
  }
  if (result.signal !== null) {
    console.error(`build: the compiler was ended by ${result.signal}`)
    return 1
  }
  if (result.status !== 0) console.error('build: failed; the messages above say where. The output may be incomplete.')
  return result.status ?? 1
}

process.exitCode = build()
