// Input paths that are no ordinary files, and files that are expensive to read.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSource } from '../../packages/ratecard/src/document/files/source.ts'
import { startServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { cliWorld, smallConfig } from './cli-world.ts'
import { startedForAll } from '../support/started.ts'

const world = startedForAll(cliWorld)

describe('an input file of the command line', () => {
  it('is refused without reading it to the end if it is a device that never ends, e.g. /dev/zero', async () => {
    const ran = await world.run(['billing', 'validate', '/dev/zero'])
    expect([ran.exit, ran.stderr.includes('is a device')]).toEqual([1, true])
  })

  it('does not block the command if it is a pipe without a writer', async () => {
    const pipe = path.join(world.cwd, 'pipe.json')
    execFileSync('mkfifo', [pipe])
    const ran = await world.run(['billing', 'validate', pipe])
    expect(ran.exit).toBe(1)
  })

  it('is read if it is a pipe with a writer', async () => {
    const cli = path.join(process.cwd(), 'packages/ratecard/src/bin.ts')
    const script = `cat <<'END' | "${process.execPath}" -e 'const {readText} = await import(process.argv[1]); process.stdout.write(String(readText("/dev/stdin").length))' "${path.join(path.dirname(cli), 'cli/files/read-text.ts')}"\n${JSON.stringify(smallConfig())}\nEND\n`
    const shell = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    await once(shell, 'close')
    expect(Number(text)).toBe(JSON.stringify(smallConfig()).length + 1)
  })

  it('is refused if it has more than 1,000 YAML aliases, before these are expanded', () => {
    const lines = ['version: 1.0.0', 'products:']
    for (let index = 0; index < 20_000; index++) lines.push(`  - &a${String(index)} {id: p${String(index)}, name: x}`)
    for (let index = 0; index < 20_000; index++) lines.push(`  - *a${String(index)}`)
    const began = process.cpuUsage()
    const { document, issues } = parseSource({ path: 'a.yaml', text: lines.join('\n') })
    expect([document, issues[0]?.detail]).toEqual([undefined, 'The file has more than 1000 aliases.'])
    // The aliases took 106 s of CPU time without the limit. The rest is the parser's own time.
    expect(process.cpuUsage(began).user / 1e6).toBeLessThan(30)
  })
})

describe('the start-up output of a server', () => {
  const start = async (dataDir: string, showKey: boolean) => {
    let printed = ''
    const server = await startServer({
      env: { RATECARD_SANDBOX_PORT: '0', RATECARD_LOG_LEVEL: 'silent', RATECARD_WORKERS: 'off' },
      port: 0,
      dataDir,
      showKey,
      out: (line) => (printed += line),
    })
    await server.close()
    return { printed, key: readFileSync(path.join(dataDir, 'service-key'), 'utf8').trim() }
  }

  it('contains a generated key on a terminal, and only the path of the key file if the output goes to a log', async () => {
    const shown = await start(path.join(world.cwd, 'shown'), true)
    expect(shown.printed).toContain(shown.key)
    const logged = await start(path.join(world.cwd, 'logged'), false)
    expect(logged.printed).not.toContain(logged.key)
    expect(logged.printed).toContain(path.join(world.cwd, 'logged', 'service-key'))
  })

  it('contains a warning if users other than the owner can enter the data directory', async () => {
    const folder = path.join(world.cwd, 'open')
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    const log = path.join(world.cwd, 'log')
    const descriptor = openSync(log, 'w')
    const child = spawn(
      process.execPath,
      [
        '-e',
        'const { startServer } = await import(process.argv[1]); await (await startServer({ env: process.env, port: 0, dataDir: process.argv[2], out() {} })).close()',
        path.join(process.cwd(), 'packages/ratecard/src/server/composition/main.ts'),
        folder,
      ],
      {
        stdio: ['ignore', 'ignore', descriptor],
        env: { ...process.env, RATECARD_SANDBOX_PORT: '0', RATECARD_WORKERS: 'off', HOME: world.home },
      },
    )
    await once(child, 'close')
    closeSync(descriptor)
    expect(readFileSync(log, 'utf8')).toContain(`chmod 700 ${folder}`)
  })
})
