import { beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../../packages/ratecard/src/cli/program/commands.ts'
import { cliWorld, smallConfig } from '../cli-world.ts'
import { startedForAll } from '../../support/started.ts'

const world = startedForAll(cliWorld)
beforeAll(() => {
  world.write('ratecard/billing/plans.json', smallConfig())
})

describe('the command-line tool', () => {
  it.each([
    [['biling', 'push'], 'Did you mean "billing"?'],
    [['bilin', 'push'], 'Did you mean "billing"?'],
    [['billing', 'psuh'], 'Did you mean "push"?'],
    [['--env', 'dev', 'billing', 'histroy'], 'Did you mean "history"?'],
    [['billing', 'push', '--dryrun'], 'Did you mean "--dry-run"?'],
    [['billing'], 'needs one of: validate'],
    [['billing', 'history', '--limit', '0'], 'whole number from 1 to 100'],
    [['billing', 'history', '--limit', '1e1'], 'whole number from 1 to 100'],
    [['billing', 'rollback'], "missing required argument 'revision'"],
    [['billing', 'rollback', 'latest'], '"latest" is not a revision'],
    [['billing', 'history', 'extra'], 'too many arguments'],
    [['billing', 'push', '--env', 'Prod'], 'a lower-case letter'],
    [['billing', 'push', '--exit-code'], '--exit-code needs --dry-run'],
    [['billing', 'push', '--api-url', 'localhost'], 'is not the address of a server'],
    [['billing', 'show', 'price'], 'Name the price'],
  ])('refuses %j with exit code 2 and a hint', async (argv, words) => {
    const ran = await world.run(argv)
    expect(ran.exit).toBe(2)
    expect(ran.stdout).toBe('')
    expect(ran.stderr.toLowerCase()).toContain(words.toLowerCase())
    expect(await world.json(argv)).toMatchObject({ exit: 2, document: { error: { code: 'usage' } } })
  })

  it('prints help with a summary, the options and examples for every command', async () => {
    for (const command of commands) {
      const ran = await world.run([...command.name.split(' '), '--help'])
      expect(ran.exit).toBe(0)
      expect(ran.stdout).toContain(`ratecard ${command.name}`)
      expect(command.examples.length).toBeGreaterThan(0)
      for (const example of command.examples) expect(ran.stdout).toContain(example.command)
      for (const option of command.options ?? []) expect(ran.stdout).toContain(option.flags)
    }
  })

  it('prints an overview if it is called without arguments, and its version with --version', async () => {
    expect(await world.run([])).toMatchObject({ exit: 0, stdout: expect.stringContaining('billing') })
    expect((await world.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('names the unreachable server and the command that starts a server, and exits with code 70', async () => {
    // Port 1 is privileged and nothing listens there.
    const argv = ['billing', 'push', '--api-url', 'http://127.0.0.1:1']
    const ran = await world.run(argv)
    expect(ran.exit).toBe(70)
    expect(ran.stderr).toContain('http://127.0.0.1:1')
    expect(ran.stderr).toContain('ratecard server start')
    expect(await world.json(argv)).toMatchObject({ exit: 70, document: { error: { code: 'server_unreachable' } } })
  })

  it('does not call the server if the configuration is invalid', async () => {
    const bad = world.write('bad.json', smallConfig({ version: '1' }))
    const ran = await world.run(['billing', 'push', bad, '--api-url', 'http://127.0.0.1:1'])
    expect(ran.exit).toBe(1)
    expect(ran.stderr).toContain('Nothing was sent.')
  })

  it('prints colours without a terminal only if FORCE_COLOR is set, and never if NO_COLOR is set', async () => {
    const escape = '\u001b['
    const argv = ['billing', 'validate']
    expect((await world.run(argv)).stdout).not.toContain(escape)
    expect((await world.run(argv, { env: { FORCE_COLOR: '1' } })).stdout).toContain(escape)
    expect((await world.run(argv, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout).not.toContain(escape)
    expect((await world.run([...argv, '--no-color'], { env: { FORCE_COLOR: '1' } })).stdout).not.toContain(escape)
  })

  it('prints nothing on success with --quiet', async () => {
    expect(await world.run(['billing', 'validate', '--quiet'])).toEqual({ exit: 0, stdout: '', stderr: '' })
  })
})
