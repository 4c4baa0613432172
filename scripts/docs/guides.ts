// Runs the code blocks of each guide in the order of the page, in an empty folder with an empty home folder, as a reader copies them from the
// rendered page. A guide that uses something that the reader does not see fails here, and not on a reader's machine.
//
// Blocks of the language `sh` are run. A block with `file=PATH` behind its language is written to that file. HTML comments say what the
// reader does beside copying:
//   <!-- walk: service [PORT] -->   starts `npx ratecard server start` in the folder; the page says so. PORT: of a second service
//   <!-- walk: sandbox -->          starts `npx ratecard sandbox`
//   <!-- walk: skip REASON -->      does not run the next block
//   <!-- walk: exit N -->           expects exit code N from the next block
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { lexer, walkTokens, type Tokens } from 'marked'

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const cli = path.join(root, 'packages/ratecard/bin/ratecard.js')
const guideTimeoutMs = 120_000
const startTimeoutMs = 30_000

type Step =
  | { readonly kind: 'run'; readonly line: number; readonly text: string; readonly exit: number }
  | { readonly kind: 'write'; readonly line: number; readonly file: string; readonly text: string }

interface Guide {
  readonly steps: readonly Step[]
  /** Ports of the services that the guide starts. */
  readonly services: readonly string[]
  readonly sandbox: boolean
  readonly skipped: number
}

const usualPort = '4242'

/** Returns the steps of a guide, in order. Throws for a code block that is neither runnable nor marked as skipped. */
function readGuide(text: string): Guide {
  const steps: Step[] = []
  const services: string[] = []
  let sandbox = false
  let skipped = 0
  let skip = false
  let exit = 0
  let read = 0
  let end = 0
  walkTokens(lexer(text), (token) => {
    if (token.type !== 'code' && token.type !== 'html') return
    const at = text.indexOf(token.raw.split('\n')[0] ?? '', read)
    if (at >= 0) read = at
    const line = text.slice(0, read).split('\n').length
    if (token.type === 'html') {
      const directive = /^<!-- walk: ([\s\S]*?)-->/.exec(token.raw)?.[1]?.trim()
      if (directive === undefined) return
      const [word = '', ...rest] = directive.split(/\s+/)
      if (word === 'service') services.push(rest[0] ?? usualPort)
      else if (word === 'sandbox') sandbox = true
      else if (word === 'skip' && rest.length > 0) skip = true
      else if (word === 'exit') exit = Number(rest[0])
      else throw new Error(`line ${String(line)}: "${directive}" is no direction (a skip says why)`)
      return
    }
    const { lang: info = '', text: body } = token as Tokens.Code
    const before = text.slice(end, read)
    end = read + token.raw.length
    const language = info.split(/\s+/)[0] ?? ''
    const file = /(?:^|\s)file=(\S+)/.exec(info)?.[1]
    if (skip) skipped += 1
    else if (file !== undefined && !before.includes(`\`${file}\``))
      throw new Error(`line ${String(line)}: the text before this block does not name its file, ${file}`)
    else if (file !== undefined) steps.push({ kind: 'write', line, file, text: `${body}\n` })
    else if (language === 'sh') steps.push({ kind: 'run', line, text: body, exit })
    else if (language === '' && /^(npx |ratecard |npm |curl )/m.test(body))
      throw new Error(`line ${String(line)}: this block looks like commands; give it the language sh`)
    skip = false
    exit = 0
  })
  return { steps, services, sandbox, skipped }
}

/** Joins the steps into one script, so that the folder and variables persist from one block to the next. */
function scriptOf({ steps }: Guide, replace: (text: string) => string): string {
  const parts = steps.map((step) => {
    const begin = `echo "== line ${String(step.line)}"`
    if (step.kind === 'write')
      return `${begin}\nmkdir -p "$(dirname '${step.file}')"\ncat > '${step.file}' <<'END_OF_GUIDE_FILE'\n${replace(step.text)}END_OF_GUIDE_FILE`
    const body = replace(step.text)
    if (step.exit === 0) return `${begin}\n${body}`
    return `${begin}\nset +e\n${body}\ncode=$?\nset -e\n[ $code -eq ${String(step.exit)} ] || { echo "exit $code, not ${String(step.exit)}"; exit 1; }`
  })
  return ['set -euo pipefail', ...parts, ''].join('\n')
}

interface Started {
  readonly process: ChildProcess
  readonly url: string
  readonly sandboxUrl: string
}

/** Starts a command that prints its address and keeps running. Resolves when the address was printed. */
function start(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string, pattern: RegExp): Promise<Started> {
  const child = spawn(process.execPath, [cli, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${args.join(' ')} did not start:\n${printed}`)), startTimeoutMs)
    const take = (chunk: Buffer) => {
      printed += chunk.toString('utf8')
      const url = pattern.exec(printed)?.[1]
      if (url === undefined) return
      clearTimeout(timer)
      resolve({ process: child, url, sandboxUrl: /sandbox at (http:\S+)/.exec(printed)?.[1] ?? url })
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('exit', () => reject(new Error(`${args.join(' ')} ended:\n${printed}`)))
  })
}

async function stop({ process: child }: Started): Promise<void> {
  if (child.exitCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

/** Runs a guide. Returns null if the guide works as printed, otherwise the output up to the failure. */
async function walk(guide: Guide): Promise<string | null> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ratecard-guide-'))
  const [home, work, bin] = ['home', 'work', 'bin'].map((name) => path.join(folder, name)) as [string, string, string]
  for (const each of [home, work, bin]) mkdirSync(each)
  shim(path.join(bin, 'ratecard'), `exec '${process.execPath}' '${cli}' "$@"`)
  shim(path.join(bin, 'npx'), `[ "$1" = ratecard ] || { echo "npx $1 is not installed here" >&2; exit 1; }\nexec "$@"`)
  const env: NodeJS.ProcessEnv = {
    HOME: home,
    PATH: `${bin}:${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    GIT_CONFIG_GLOBAL: '/dev/null',
    NO_COLOR: '1',
    RATECARD_LOG_LEVEL: 'warn',
    // The guides share the compiled code, because each of them has a home folder without a cache.
    NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/compiled'),
  }
  const running: Started[] = []
  const addresses: [string, string][] = []
  try {
    for (const port of guide.services) {
      const isUsual = port === usualPort
      const args = ['server', 'start', '--port', '0', ...(isUsual ? [] : ['--data-dir', `.ratecard-${port}`])]
      const service = await start(args, { ...env, RATECARD_SANDBOX_PORT: '0' }, work, /API\s+(http:\/\/[^/\s]+)/)
      running.push(service)
      // Sets the port instead of the URL. The commands then use the server of `dev`, with the variables of `.env.dev`.
      if (isUsual) env['RATECARD_PORT'] = new URL(service.url).port
      addresses.push([port, new URL(service.url).port])
      if (isUsual) addresses.push(['4243', new URL(service.sandboxUrl).port])
    }
    if (guide.sandbox) {
      const sandbox = await start(['sandbox', '--port', '0'], env, folder, /Stripe API\s+(http:\S+)/)
      running.push(sandbox)
      addresses.push(['4243', new URL(sandbox.url).port])
    }
    const replace = (text: string) =>
      addresses.reduce(
        (all, [port, real]) =>
          all.replaceAll(`localhost:${port}`, `127.0.0.1:${real}`).replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${real}`),
        text,
      )
    return run(scriptOf(guide, replace), work, env)
  } finally {
    for (const each of running.reverse()) await stop(each)
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(script: string, cwd: string, env: NodeJS.ProcessEnv): string | null {
  const result = spawnSync('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    timeout: guideTimeoutMs,
  })
  return result.status === 0 ? null : `${result.stdout}\n(exit ${String(result.status ?? result.signal)})`
}

function shim(file: string, body: string): void {
  writeFileSync(file, `#!/bin/sh\n${body}\n`)
  chmodSync(file, 0o755)
}

const given = process.argv.slice(2)
const guides = readdirSync(path.join(root, 'docs/guides'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => path.join('docs/guides', name))
const pages = [...guides, 'README.md'].filter((page) => given.length === 0 || given.some((part) => page.includes(part)))

let failed = 0
for (const page of pages) {
  const startedAt = performance.now()
  try {
    const guide = readGuide(readFileSync(path.join(root, page), 'utf8'))
    const words = await walk(guide)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const blocks = `${String(guide.steps.length)} blocks, ${String(guide.skipped)} not run`
    if (words === null) console.log(`✓ ${page} (${blocks}, ${seconds} s)`)
    else {
      failed += 1
      console.error(
        `✗ ${page}: the last line named is that of the block that failed\n${words.split('\n').slice(-40).join('\n')}`,
      )
    }
  } catch (error) {
    failed += 1
    console.error(`✗ ${page}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
if (pages.length === 0) throw new Error('There is no such page.')
if (failed > 0) process.exitCode = 1
