import { describe, expect, it } from 'vitest'
import { serverWorld } from '../server-world.ts'
import { startedForAll } from '../../support/started.ts'

const world = startedForAll(() => serverWorld('worker-tests-service-key'))

const manifest = (more = '') => `name = "hooks"\nmain = "src/index.ts"\ncompatibility_date = "2026-11-01"\n${more}`
const source = (text: string) => `import page from './page.txt'
export default {
  async fetch(request, env) {
    console.log('asked for', new URL(request.url).pathname)
    if (new URL(request.url).pathname === '/boom') throw new Error('as planned')
    return Response.json({ text: '${text}', page, secret: env.SECRET, list: env.LIST })
  },
  async scheduled(event, env, ctx) {
    ctx.waitUntil(Promise.resolve().then(() => console.log('ticked', event.cron)))
    if (event.cron === '0 0 1 1 *') throw new Error('not today')
  },
}
`
function write(text: string, more = ''): void {
  world.write('ratecard/workers/wrangler.toml', manifest(`[vars]\nLIST = [1, true]\n${more}`))
  world.write('ratecard/workers/src/index.ts', source(text))
  world.write('ratecard/workers/src/page.txt', 'a page')
  world.write('ratecard/environments/.env.dev', `RATECARD_API_URL=${world.url}\nSECRET=sk_live_x\n`)
}
const workers = (...words: string[]) => world.run(['cloud', 'workers', ...words])
const json = (...words: string[]) => world.json(['cloud', 'workers', ...words])
const answer = async () => (await fetch(`${world.url}/workers/hooks/`)).json()

describe('workers on a server', () => {
  it('are deployed, updated, rolled back and removed with commands', async () => {
    write('first', '[triggers]\ncrons = ["0 0 1 1 *", "30 5 * * *"]\n')
    const deployed = await workers('deploy', '--author', 'Zoë', '--message', 'Größer & 100%')
    expect(deployed.stderr).toBe('')
    expect(deployed.exit).toBe(0)
    expect(deployed.stdout).toMatch(/✓ hooks {2}version \w+/)
    expect(deployed.stdout).toContain(`${world.url}/workers/hooks`)
    expect(deployed.stdout).toMatch(/30 5 \* \* \* {2}every day at 05:30 UTC, next \d{4}-\d\d-\d\d 05:30:00 UTC/)
    expect(deployed.stdout).toMatch(/variables: .*SECRET/)
    expect(deployed.stdout).not.toContain('sk_live')
    expect(await answer()).toEqual({ text: 'first', page: 'a page', secret: 'sk_live_x', list: [1, true] })

    write('second')
    const { document: second } = await json('deploy')
    expect(second).toMatchObject({ workers: [{ name: 'hooks', crons: [], deployment: { environment: 'dev' } }] })
    expect(await answer()).toMatchObject({ text: 'second' })

    const versions = await workers('versions')
    expect(versions.stdout).toMatch(/serves .*\n.*Zoë +Größer & 100%/)

    const back = await workers('rollback', '--author', 'Ada')
    expect(back.exit).toBe(0)
    expect(back.stdout).toMatch(/schedules: (30 5 \* \* \* · 0 0 1 1 \*|0 0 1 1 \* · 30 5 \* \* \*)/)
    expect(await answer()).toMatchObject({ text: 'first' })

    const list = await workers('list')
    expect(list.stdout).toMatch(/hooks +running/)

    const refused = await workers('delete', 'hooks')
    expect(refused.exit).toBe(1)
    const declined = await world.run(['cloud', 'workers', 'delete', 'hooks'], { answer: { confirm: false } })
    expect(declined.stderr).toContain('declined')
    expect((await world.run(['cloud', 'workers', 'delete', 'hooks'], { answer: { confirm: true } })).exit).toBe(0)
    expect((await json('list')).document).toEqual({ workers: [] })
    expect((await workers('versions')).stderr).toContain('worker_not_found')
  })

  it('are run with a command, and their runs are listed', async () => {
    write('runs', '[triggers]\ncrons = ["30 5 * * *"]\n')
    await workers('deploy')
    const ran = await json('cron', 'trigger')
    expect(ran.exit).toBe(0)
    expect(ran.document).toMatchObject({ cron: '30 5 * * *', outcome: 'ok' })
    const failed = await workers('cron', 'trigger', '--cron', '0 0 1 1 *')
    expect(failed.exit).toBe(1)
    expect(failed.stderr).toContain('not today')
    const wrong = await workers('cron', 'trigger', '--cron', '0 0 * * 7')
    expect(wrong.stderr).toContain('Write 0 for Sunday.')
    const { document } = await json('cron', 'runs')
    expect(document).toMatchObject({
      runs: [{ outcome: 'exception' }, { outcome: 'ok' }],
      pagination: { total: 2 },
    })
    expect((await workers('cron', 'runs', '--cron', '0 0 1 1 *')).stdout).toMatch(/exception +Error: not today/)
  })

  it('have logs that can be printed, filtered and followed live', async () => {
    write('logs')
    await workers('deploy')
    await fetch(`${world.url}/workers/hooks/before`)
    await fetch(`${world.url}/workers/hooks/boom`)
    const trace = await workers('logs', '--level', 'exception', '--since', '10m')
    expect(trace.stdout).toContain('Error: as planned')
    expect(trace.stdout).toContain('src/index.ts:5:')
    expect((await workers('logs', '--since', 'yesterday')).exit).toBe(2)

    const stop = new AbortController()
    const follow = world.run(['cloud', 'workers', 'logs', '--follow', '--level', 'log', '--json'], {
      signal: stop.signal,
      onOutput: (text) => {
        if (text.includes('/before')) void fetch(`${world.url}/workers/hooks/after`)
        if (text.includes('/after')) stop.abort()
      },
    })
    const { exit, stdout } = await follow
    expect(exit).toBe(0)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; message: string })
    expect(lines.every(({ level }) => level === 'log')).toBe(true)
    expect(lines.filter(({ message }) => message === 'asked for /after')).toHaveLength(1)
  })

  it('keep serving requests if a new version does not start, and the error names the line in the author’s source', async () => {
    write('good')
    await workers('deploy')
    world.write(
      'ratecard/workers/src/index.ts',
      `export const x = 1\nthrow new Error('at the top')\nexport default {}\n`,
    )
    const failed = await workers('deploy')
    expect(failed.exit).toBe(1)
    expect(failed.stderr).toContain('worker_start_failed')
    expect(failed.stderr).toContain('src/index.ts:2:')
    expect(await answer()).toMatchObject({ text: 'good' })
  })
})
