// Features that users expect of every command line.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import { beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../../packages/ratecard/src/cli/program/commands.ts'
import { failureCodes } from '../../../packages/ratecard/src/cli/failure-codes.ts'
import { issueCodes, problemCodes } from '../../../packages/ratecard/src/base/errors/codes.ts'
import { serverWorld } from '../server-world.ts'
import { smallConfig } from '../cli-world.ts'
import { startedForAll } from '../../support/started.ts'

const key = 'everyday-service-key'
const world = startedForAll(() => serverWorld(key))
beforeAll(async () => {
  world.write('ratecard/billing/plans.json', smallConfig())
})

describe('help and version', () => {
  it.each([['-h'], ['help'], ['--help']])('%s prints an overview of all command groups', async (word) => {
    const ran = await world.run([word])
    expect(ran.exit).toBe(0)
    for (const group of ['billing', 'tenants', 'completion', 'explain']) expect(ran.stdout).toContain(group)
  })

  it.each([
    ['help', 'billing', 'push'],
    ['billing', 'push', '-h'],
    ['billing', 'push', '--help'],
  ])('%s %s %s prints the help of that command', async (...argv) => {
    const ran = await world.run(argv)
    expect(ran).toMatchObject({ exit: 0 })
    expect(ran.stdout).toContain('--require-approval')
  })

  it('the help of a group lists its commands, and the help of an unknown command is refused', async () => {
    expect((await world.run(['billing', 'help'])).stdout).toContain('rollback')
    expect((await world.run(['help', 'nonsense'])).exit).toBe(2)
  })

  it.each(['-v', '-V', '--version'])('%s prints the version', async (flag) => {
    expect(await world.run([flag])).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  it('the option -y confirms every question', async () => {
    expect((await world.run(['billing', 'push', '-y'])).exit).toBe(0)
    const declines = { answer: { text: 'no' } }
    expect((await world.run(['billing', 'reset'], declines)).exit).toBe(1)
    expect((await world.run(['billing', 'reset', '-y'], declines)).exit).toBe(0)
  })
})

describe('an unknown command', () => {
  it.each([
    [['push'], '`ratecard billing push`'],
    [['push', '--dry-run'], '`ratecard billing push`'],
    [['workers', 'deploy'], '`ratecard cloud workers deploy`'],
    [['cron', 'runs'], '`ratecard cloud workers cron runs`'],
    [['list'], '`ratecard tenants list`'],
    [['billing', 'psh'], '"push"'],
  ])('%j is refused with the suggestion %s', async (argv, suggestion) => {
    const ran = await world.run(argv)
    expect(ran.exit).toBe(2)
    expect(ran.stderr).toContain(`Did you mean`)
    expect(ran.stderr).toContain(suggestion)
  })
})

describe('ratecard explain', () => {
  it('explains every error code without a server', async () => {
    for (const code of [problemCodes, issueCodes, failureCodes].flatMap((table) => Object.keys(table))) {
      const ran = await world.run(['explain', code], { env: { RATECARD_API_URL: 'http://127.0.0.1:9' } })
      expect([code, ran.exit]).toEqual([code, 0])
      expect(ran.stdout.split('\n').length).toBeGreaterThan(2)
    }
  })

  it('accepts an error code with punctuation around it, and suggests the nearest code for an unknown one', async () => {
    expect((await world.run(['explain', '(processor_drift).'])).stdout).toContain('HTTP 409')
    const ran = await world.json(['explain', 'procesor_drift'])
    expect(ran).toMatchObject({ exit: 1, document: { error: { code: 'code_unknown' } } })
    expect(JSON.stringify(ran.document)).toContain('processor_drift')
  })
})

describe('ratecard completion', () => {
  const complete = (script: string, line: string[]) => {
    const words = line.map((word) => `'${word}'`).join(' ')
    const asked = `source '${script}'; COMP_WORDS=(${words}); COMP_CWORD=${String(line.length - 1)}; _ratecard; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, status } = spawnSync('bash', ['-c', asked], { cwd: world.cwd, encoding: 'utf8' })
    expect(status).toBe(0)
    return stdout.split('\n').filter((word) => word !== '')
  }

  it('completes commands, options, choices and environments in bash', async () => {
    const script = path.join(world.cwd, 'completion.bash')
    writeFileSync(script, (await world.run(['completion', 'bash'])).stdout)
    world.write('ratecard/environments/.env.preview', '')
    world.write('ratecard/environments/.env.staging.example', '')
    expect(complete(script, ['ratecard', ''])).toEqual([...new Set(commands.map(({ name }) => name.split(' ')[0]))])
    expect(complete(script, ['ratecard', 'billing', 'pu'])).toEqual(['push', 'pull', 'pushes'])
    expect(complete(script, ['ratecard', '--env', 'dev', 'billing', 'push', '--plan'])).toEqual([
      '--plan-out',
      '--plan',
    ])
    expect(complete(script, ['ratecard', 'init', '--template', 'u'])).toEqual(['usage'])
    expect(complete(script, ['ratecard', 'billing', 'push', '--env', ''])).toEqual(['preview', 'staging'])
    expect(complete(script, ['ratecard', 'cloud', 'workers', 'cron', ''])).toEqual(['runs', 'trigger'])
  })

  it.each(['zsh', 'fish'])('prints a valid script with every command for %s', async (shell) => {
    const { stdout, exit } = await world.run(['completion', shell])
    expect(exit).toBe(0)
    for (const { name } of commands) expect(stdout).toContain(name.split(' ').at(-1))
    const read = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' })
    if (read.error === undefined) expect(read).toMatchObject({ status: 0, stderr: '' })
  })

  it('refuses an unknown shell', async () => {
    expect((await world.run(['completion', 'tcsh'])).exit).toBe(2)
  })
})

describe('the option --debug', () => {
  it('prints each request with status and time, and no secret', async () => {
    const ran = await world.run(['keys', 'list', '--debug'])
    expect(ran.exit).toBe(0)
    expect(ran.stderr).toMatch(
      /^debug: GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/billing\/admin\/keys\S* 200 \d+ ms \(\S+\)\n$/,
    )
    const made = await world.run(['keys', 'create', 'debugged', '--debug'])
    expect(made.stderr).toContain('debug: POST')
    expect(made.stderr).not.toContain(made.stdout.trim())
    expect(ran.stderr + made.stderr).not.toContain(key)
    const nobody = await world.run(['keys', 'list', '--debug', '--api-url', 'http://127.0.0.1:9', '--service-key', key])
    expect(nobody.stderr).toContain('failed after')
    expect(nobody.stderr).not.toContain(key)
  })
})

describe('ratecard billing push --wait', () => {
  it('waits until a running push of another user has ended, and then makes a new plan', async () => {
    const other = createClient({ baseUrl: world.url, serviceKey: key })
    await world.run(['billing', 'push', '-y'])
    await fetch(`${world.sandboxUrl}/_sandbox/faults`, {
      method: 'POST',
      body: JSON.stringify({ kind: 'latency', method: 'POST', latency_ms: 700, count: 6 }),
    })
    const theirs = smallConfig({
      version: '2.0.0',
      coupons: ['a', 'b'].map((id) => ({ id, percent_off: 5, duration: 'once' })),
    })
    const started = await other.admin.startPush(theirs)
    expect(started.started).toBe(true)
    world.write('mine.json', smallConfig({ version: '2.1.0' }))
    const push = ['billing', 'push', '--file', 'mine.json', '-y']
    expect((await world.json(push)).document.error.code).toBe('push_in_progress')
    const waited = await world.run([...push, '--wait', '1m'])
    expect(waited.exit).toBe(0)
    expect(waited.stderr).toContain('waiting for it')
    // The plan was made after the other push, so it archives the coupons of that push.
    expect(waited.stdout).toContain('Plan: 2 to archive.')
    expect((await other.admin.config()).version).toBe('2.1.0')
  })

  it('refuses a value that is not a duration', async () => {
    expect(await world.json(['billing', 'push', '--wait', 'soon'])).toMatchObject({
      exit: 2,
      document: { error: { code: 'duration_invalid' } },
    })
  })
})
