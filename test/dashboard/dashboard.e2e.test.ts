// The dashboard in Chromium, with the real service and its sandbox.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../packages/client/src/client.ts'
import type { RunningServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { changedConfig, sampleConfig } from '../support/app.ts'
import { chromiumPath } from '../support/programs/chromium.ts'
import { listenLocally } from '../support/listen.ts'
import { announceSkip } from '../support/skips.ts'
import { drop, findingsAtAllWidths, narrow, openDashboard, overflowOf, type DashboardWorld } from './dashboard-world.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const longName = `${'Extraordinarily'.repeat(16)} name`
const hostile = `</script><img src=x onerror="window.hacked=1"> 🦑 \u202Eevil\u200B`

let world: DashboardWorld
let server: RunningServer
let client: Client
let key: string
const signIn: DashboardWorld['signIn'] = (...of) => world.signIn(...of)

beforeAll(async () => {
  if (chromiumPath === null) return
  world = await openDashboard()
  ;({ server, client, key } = world)
})
afterAll(async () => {
  if (chromiumPath !== null) await world.close()
})

/** Returns the sample document with another amount for the price that has a subscriber. */
const raised = (version: string, amount: number) =>
  changedConfig(version, ({ products }) => {
    const price = products[1]?.prices?.[0]
    if (price !== undefined) Object.assign(price, { amount })
  })

const pay = async (tenantId: string) => {
  const back = 'http://127.0.0.1:3000'
  const { url } = await client.checkout.create({
    priceId: 'pro_monthly',
    quantity: 3,
    tenantId,
    successUrl: back,
    cancelUrl: back,
  })
  const form = new URLSearchParams({ action: 'pay', number: '4242 4242 4242 4242' })
  expect((await fetch(url, { method: 'POST', body: form, redirect: 'manual' })).status).toBe(303)
}

describe.skipIf(chromiumPath === null)('the dashboard in a browser:', () => {
  test('a user signs in, plans a dropped file, applies it, rolls back, applies a deal, reveals a secret, and signs out', async () => {
    const { page, open, failures } = await signIn(key)

    // An empty service leads from files to a sale. At the sandbox one click shows the plan of an example.
    await open('overview')
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.getByRole('link', { name: 'Load an example' }).click()
    await page.getByText('What changes').waitFor()
    await page.getByText('pro_yearly').first().waitFor()

    // The first price list, from an empty page.
    await open('plan')
    await page.getByText('No pushes yet').waitFor()
    await drop(page, sampleConfig())
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText('What changes').waitFor()
    await page.getByRole('button', { name: 'Apply …' }).click()
    await page.getByLabel('Reason (shown in the history)').fill('First prices')
    await page.getByRole('button', { name: 'Apply this plan' }).click()
    await page.getByRole('link', { name: 'revision 1' }).waitFor()

    // The second push affects a subscriber, so the plan shows its amount.
    await client.tenants.create({ id: 'acme', name: hostile })
    await pay('acme')
    await open('plan')
    await drop(page, raised('2.0.0', 1500))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    const impact = page.getByRole('row', { name: /pro_monthly replace/ })
    await impact.waitFor()
    expect((await impact.innerText()).replaceAll(/\s+/g, ' ')).toContain('$36.00 $45.00')
    await page.getByRole('button', { name: 'Apply …' }).click()
    await page.getByRole('button', { name: 'Apply this plan' }).click()
    await page.getByRole('link', { name: 'revision 2' }).click()

    // The dry run of a deal for a tenant on an earlier version: the amount before is that of the earlier version.
    await open('tenants/acme')
    await page.getByRole('button', { name: 'Change the deal …' }).click()
    await page.getByRole('button', { name: 'Show what would change' }).click()
    const earlier = page.getByRole('row', { name: /pro_monthly_gold/ })
    await earlier.waitFor()
    expect((await earlier.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/3 \$36\.00 a month \$30\.00 a month/)

    // A rollback, as a new revision.
    await open('history/1')
    await page.getByRole('button', { name: 'Roll back to this …' }).click()
    await page.getByRole('dialog').getByText('What changes').waitFor()
    await page.getByRole('button', { name: 'Roll back', exact: true }).click()
    await page.getByRole('link', { name: 'revision 3' }).waitFor()

    // A deal: first a dry run, then the change.
    await open('tenants/acme')
    await page.getByRole('button', { name: 'Change the deal …' }).click()
    await page.getByRole('button', { name: 'Show what would change' }).click()
    const line = page.getByRole('row', { name: /pro_monthly_gold/ })
    await line.waitFor()
    expect((await client.tenants.find('acme')).enterpriseTemplate).toBeNull()
    expect(await line.innerText()).toContain('$36.00')
    expect(await line.innerText()).toContain('$30.00')
    await page.getByRole('dialog').getByRole('button', { name: 'Apply the deal' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('template gold').first().waitFor()
    expect((await client.tenants.find('acme')).enterpriseTemplate).toBe('gold')

    // More seats: the preview shows the money, then the plan is changed; paused, resumed and cancelled.
    const [held] = (await client.tenants.subscriptions('acme')).subscriptions
    const seats = held?.items[0]?.quantity ?? 0
    await page.getByRole('button', { name: /^Change plan …/ }).click()
    await page
      .getByRole('dialog')
      .getByLabel('Quantity')
      .fill(String(seats + 1))
    await page.getByRole('dialog').getByRole('button', { name: 'Show what would change' }).click()
    const change = page.getByRole('dialog', { name: 'Change the plan?' })
    await change.getByText('Due now').waitFor()
    expect((await client.tenants.subscriptions('acme')).subscriptions[0]?.items[0]?.quantity).toBe(seats)
    await change.getByRole('button', { name: 'Change the plan' }).click()
    await change.waitFor({ state: 'detached' })
    expect((await client.tenants.subscriptions('acme')).subscriptions[0]?.items[0]?.quantity).toBe(seats + 1)
    const act = async (name: string, confirm: string) => {
      await page.getByRole('button', { name: new RegExp(`^${name} …`) }).click()
      await page.getByRole('dialog').getByRole('button', { name: confirm }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      return (await client.tenants.subscriptions('acme')).subscriptions[0]
    }
    expect((await act('Pause', 'Pause the subscription'))?.pause?.behavior).toBe('void')
    expect((await act('Resume', 'Resume the subscription'))?.pause).toBeNull()
    expect((await act('Cancel', 'Cancel the subscription'))?.cancelAtPeriodEnd).toBe(true)
    await page.getByRole('cell', { name: /^Ends / }).waitFor()
    expect((await act('Resume', 'Resume the subscription'))?.cancelAtPeriodEnd).toBe(false)

    // A discount: the dry run shows the next invoice before and after, then it is given, and taken away again.
    // A dialog that is closed returns the focus to the button, also the one that follows another.
    const give = page.getByRole('button', { name: 'Give a discount …' })
    await give.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: /^Give a discount to/ }).waitFor()
    await page.getByRole('button', { name: 'Show what would change' }).press('Enter')
    await page.getByRole('dialog', { name: /^Give .* “welcome”\?$/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: /^Give a discount to/ }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate<string>('document.activeElement?.textContent')).toBe('Give a discount …')
    await give.click()
    await page.getByRole('button', { name: 'Show what would change' }).click()
    const gift = page.getByRole('dialog', { name: /^Give .* “welcome”\?$/ })
    await gift.getByText('Next invoice after').waitFor()
    expect(await client.discounts.list('acme')).toEqual([])
    await gift.getByRole('button', { name: 'Give the discount' }).click()
    await gift.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove the discount welcome' }).click()
    expect((await client.discounts.list('acme')).map(({ couponId }) => couponId)).toEqual(['welcome'])
    const removal = page.getByRole('dialog', { name: 'Remove the discount welcome?' })
    await removal.getByRole('button', { name: 'Remove the discount' }).click()
    await removal.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Discounts' }).waitFor({ state: 'detached' })
    expect(await client.discounts.list('acme')).toEqual([])

    // The page does not contain a secret until the user reveals it.
    const secret = (await client.admin.webhooks())[0]?.secret ?? '?'
    const listed = page.waitForResponse((response) => response.url().includes('/api/v1/billing/admin/webhooks'))
    await open('webhooks')
    await page.getByRole('button', { name: 'Show the secret' }).waitFor()
    expect((await (await listed).text()) + (await page.content())).not.toContain(secret)
    await page.getByRole('button', { name: 'Show the secret' }).click()
    await page.getByText(secret).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Service key').waitFor()
    await page.goto(`${server.url}/dashboard/keys`)
    await page.waitForURL('**/dashboard/sign-in?next=**')
    expect(failures).toEqual([])
  })

  test('a user follows a log, and runs a schedule immediately', async () => {
    await client.workers.deploy('hello', {
      modules: [
        {
          name: 'w.js',
          type: 'esm',
          content: `export default { fetch: () => new Response('hi'), scheduled: () => console.log('it ticked') }`,
        },
      ],
      main: 'w.js',
      compatibilityDate: '2026-01-01',
      crons: ['0 0 1 1 *'],
    })
    const { page, open } = await signIn(key)
    await open('workers/hello')
    await page.getByRole('button', { name: 'Run now: 0 0 1 1 *' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('dialog', { name: 'It ran' }).getByRole('button', { name: 'Done' }).click()
    await page.getByText('it ticked').waitFor()
    await page.getByRole('row', { name: /ok 0 0 1 1/ }).waitFor()
  })

  test('after a rotation, a dialog shows the new secret, with a button Done and without a button Cancel', async () => {
    const { page, open } = await signIn(key)
    await open('webhooks')
    await page.getByRole('button', { name: 'Rotate the secret …' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'The new secret' })
    await dialog.waitFor()
    expect(await dialog.locator('code').innerText()).toBe((await client.admin.webhooks())[0]?.secret)
    expect(await dialog.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  test('a job offers exactly the actions that the service allows', async () => {
    const [job] = (await client.jobs.list({ kind: 'webhook_rotation' })).jobs
    expect(job).toMatchObject({ state: 'waiting', allows: ['cancel'] })
    const { page, open } = await signIn(key)
    await open(`jobs/${job?.id ?? ''}`)
    const [stop, resume] = ['Stop …', 'Resume …'].map((name) => page.getByRole('button', { name }))
    await stop?.click()
    expect(await resume?.count()).toBe(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Stop it' }).click()
    await page.getByText('cancelled', { exact: true }).first().waitFor()
    await expect.poll(async () => [await stop?.count(), await resume?.count()]).toEqual([0, 0])
    const deal = (await client.jobs.list({ kind: 'enterprise_apply' })).jobs[0]
    expect(deal?.allows).toEqual([])
  })

  test('the coverage page shows the number of gaps that its table contains', async () => {
    const { gaps } = await client.enterprise.coverage()
    const { page, open } = await signIn(key)
    await open('coverage')
    await page.getByRole('table').waitFor()
    expect(await page.getByRole('cell', { name: 'gap', exact: true }).count()).toBe(gaps)
  })

  test('the page of a tenant shows usage that the processor dropped', async () => {
    await client.tenants.create({ id: 'dropper', name: 'Dropper' })
    const { page, open } = await signIn(key)
    await open('tenants/dropper')
    await page.getByText('Nothing will be invoiced.').waitFor()
    const check = (when: string) =>
      fetch(`${server.sandboxUrl ?? ''}/_sandbox/usage`, { method: 'PUT', body: JSON.stringify({ check: when }) })
    await check('later')
    const timestamp = new Date(Date.now() + 5 * 86_400_000)
    await client.usage.record({ tenantId: 'dropper', meter: 'api_calls', value: 1, identifier: 'day-9', timestamp })
    await check('at_once')
    // The page may show reports up to a minute old; a direct request for them updates the cache.
    await client.usage.dropped()
    await open('tenants/dropper')
    await page.getByText('usage dropped').waitFor()
    await page.getByText('timestamp_in_future, day-9').waitFor()
  })

  test('on a phone, each table row shows its name, followed by values with a label before each', async () => {
    const { page, open } = await signIn(key)
    await narrow(page)
    await open('keys')
    const row = page.getByRole('row', { name: /this session/ })
    await row.waitFor()
    const scope = `[...document.querySelectorAll('td')].find((cell) => cell.textContent === 'owner')`
    expect(await page.evaluate(`getComputedStyle(${scope}, '::before').content`)).toContain('Scope')
    // Its six cells took a line of 30 px each.
    expect((await row.boundingBox())?.height).toBeLessThan(6 * 28)
  })

  test('two browsers show each other’s changes without a reload, within two seconds', async () => {
    const [one, two] = [await signIn(key), await signIn(key)]
    // The pages use fake clocks, so that the speed of this machine does not matter.
    for (const { page } of [one, two]) await page.clock.install()
    await one.open('tenants')
    await two.open('tenants')
    for (const { page } of [one, two]) await page.clock.pauseAt(Date.now() + 60_000)
    await one.page.getByRole('button', { name: 'Add a tenant …' }).click()
    await one.page.getByLabel('Name', { exact: true }).fill('Seen by both')
    await one.page.getByRole('button', { name: 'Add', exact: true }).click()
    await one.page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await two.page.getByRole('link', { name: 'Seen by both' }).count()).toBe(0)
    for (const { page } of [one, two]) {
      await page.clock.runFor(2000)
      await page.getByRole('link', { name: 'Seen by both' }).waitFor()
    }

    // The same in the other direction, on a page that shows an object that is changed elsewhere.
    const { id } = (await client.tenants.list()).tenants.find(({ name }) => name === 'Seen by both') ?? { id: '' }
    await one.open(`tenants/${id}`)
    await one.page.clock.pauseAt(Date.now() + 120_000)
    await client.enterprise.applyTemplate({ tenantId: id, enterpriseTemplate: 'gold' })
    await one.page.clock.runFor(2000)
    await one.page.getByText('template gold').first().waitFor()
  })

  test('with a read key no action is shown, and each action that is requested anyway is refused', async () => {
    const looks = await client.admin.createKey('looks', { scope: 'read' })
    const acts = await signIn(key)
    const { page, open } = await signIn(looks.key)
    for (const [where, act] of [
      ['history/1', 'Roll back'],
      ['tenants', 'Add a tenant'],
      ['tenants/acme', 'Change the deal …'],
      ['webhooks', 'Show the secret'],
      ['keys', 'Create key'],
      ['workers/hello', 'Run '],
    ] as const) {
      await acts.open(where)
      await acts.page.getByRole('button', { name: act }).first().waitFor()
      await open(where)
      await page.getByText('looks', { exact: true }).first().waitFor()
      expect([where, await page.getByRole('button', { name: act }).count()]).toEqual([where, 0])
    }
    const token = await page.locator('meta[name="page-token"]').getAttribute('content')
    const status = await page.evaluate(async (known) => {
      const answer = await fetch('/dashboard/api/v1/billing/admin/keys', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-csrf-token': known ?? '' },
        body: '{"name":"more"}',
      })
      return [answer.status, ((await answer.json()) as { code: string }).code]
    }, token)
    expect(status).toEqual([403, 'key_scope'])
  })

  test('a page of another site cannot change anything through a form, fetch, image or frame', async () => {
    const { context, page } = await signIn(key)
    const api = `${server.url}/dashboard/api/v1/billing/admin`
    const other = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<form method="post" action="${server.url}/dashboard/sign-out"><button>go</button></form>
<img src="${api}/config"><iframe src="${server.url}/dashboard"></iframe>`)
    })
    await listenLocally(other)
    try {
      const evil = await context.newPage()
      // Another port of this machine: the browser sends the cookies, but the origin differs.
      await evil.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}`)
      const outcome = await evil.evaluate(async (url) => {
        const options = { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"name":"x"}' } as const
        const outcomeOf = (attempt: Promise<Response>) =>
          attempt.then(
            () => 'answered',
            () => 'refused',
          )
        const sent = await outcomeOf(fetch(`${url}/keys`, options))
        const read = await outcomeOf(fetch(`${url}/config`, { credentials: 'include' }))
        return [sent, read]
      }, api)
      expect(outcome).toEqual(['refused', 'refused'])
      await evil.getByRole('button', { name: 'go' }).click()
      await evil.getByText('not_allowed').waitFor()
      expect((await client.admin.keys()).map(({ name }) => name)).not.toContain('x')
      await page.reload()
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
    } finally {
      other.close()
    }
  })

  test('a page of a worker cannot change anything, although it has the same origin as the dashboard', async () => {
    const { context, page } = await signIn(key)
    await client.workers.deploy('neighbour', {
      modules: [
        {
          name: 'w.js',
          type: 'esm',
          content: `export default { fetch: ({ url }) => url.endsWith('.js')
            ? new Response('addEventListener("fetch", () => {})', { headers: { 'content-type': 'text/javascript', 'service-worker-allowed': '/' } })
            : new Response('<!doctype html><title>neighbour</title><p>neighbour</p>', { headers: { 'content-type': 'text/html', 'cross-origin-opener-policy': 'same-origin' } }) }`,
        },
      ],
      main: 'w.js',
      compatibilityDate: '2026-01-01',
    })
    try {
      const neighbour = await context.newPage()
      await neighbour.goto(`${server.url}/workers/neighbour/`)
      await neighbour.getByText('neighbour').waitFor()
      const outcome = await neighbour.evaluate(async () => {
        const admin = '/dashboard/api/v1/billing/admin'
        const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code
        const tokenIn = (document: string) => document.includes('page-token')
        const acted = await fetch(`${admin}/tenants`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"name":"Made by a neighbour"}',
        })
        const read = await fetch(`${admin}/webhooks`)
        const cached = await fetch('/dashboard/plan', { cache: 'only-if-cached', mode: 'same-origin' }).then(
          async (answer) => tokenIn(await answer.text()),
          () => false,
        )
        const asked = tokenIn(await (await fetch('/dashboard/plan', { cache: 'force-cache' })).text())
        return [await codeOf(acted), await codeOf(read), cached, asked]
      })
      expect(outcome).toEqual(['session_invalid', 'session_invalid', false, false])
      const between = await neighbour.evaluate<string>(
        `navigator.serviceWorker.register('/workers/neighbour/sw.js', { scope: '/' }).then(() => 'registered', () => 'refused')`,
      )
      expect(between).toBe('refused')
      // The worker's page can open a dashboard window, but cannot access its content.
      const opened = context.waitForEvent('page')
      await neighbour.evaluate(`window.held = window.open('/dashboard/plan'); undefined`)
      await (await opened).locator('main h1').waitFor()
      expect(await neighbour.evaluate('window.held.closed')).toBe(true)
      // A frame with the dashboard stays empty.
      await neighbour.evaluate(
        `document.body.append(Object.assign(document.createElement('iframe'), { src: '/dashboard/plan' }))`,
      )
      await neighbour.waitForFunction(
        `(() => { try { return frames[0].location.href !== 'about:blank' || frames[0].document === null } catch { return true } })()`,
      )
      expect((await client.tenants.list()).tenants.map(({ name }) => name)).not.toContain('Made by a neighbour')
      await page.reload()
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
    } finally {
      await client.workers.remove('neighbour')
    }
  })

  test('a chart that has not been redrawn after a resize makes no page wider than a phone', async () => {
    // The chart is never redrawn after a resize.
    const before = 'globalThis.ResizeObserver = class { observe() {} unobserve() {} disconnect() {} }'
    const { page, open } = await signIn(key, { before })
    const drawn: readonly (readonly [string, (() => Promise<void>)?])[] = [
      ['workers/hello'],
      ['prices', () => page.getByText('What does a quantity cost?').click()],
    ]
    for (const [where, show] of drawn) {
      await page.setViewportSize({ width: 1280, height: 900 })
      await open(where)
      await show?.()
      const chart = page.locator('.chart canvas').first()
      await chart.waitFor()
      const width = async () => (await chart.boundingBox())?.width
      const wide = await width()
      await narrow(page)
      // The page keeps its earlier width; that must not overflow.
      expect([where, await width(), await overflowOf(page)]).toEqual([where, wide, 0])
    }
  })

  test('the price list is updated after a push, and HTML in a name is shown as text', async () => {
    const { page, open, failures } = await signIn(key)
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await open('prices')
    await page.getByText('pro_monthly', { exact: true }).waitFor()
    await client.admin.push(
      changedConfig('8.0.0', ({ products }) => void Object.assign(products[1] ?? {}, { name: `Pro ${hostile} $& $'` })),
      { force: true },
    )
    await page.clock.runFor(2000)
    await page.getByRole('heading', { name: 'Pro </script>' }).waitFor()
    await open('prices')
    await page.getByRole('heading', { name: `$& $'` }).waitFor()
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)
    expect(failures).toEqual([])
  })

  const pages = ['prices', 'plan', 'plan/none', 'history', 'history/1', 'drift', 'tenants', 'tenants/acme', 'coverage']
  const more = [
    'overview',
    'prices/pro_monthly',
    'jobs',
    'workers',
    'workers/hello',
    'webhooks',
    'keys',
    'health',
    'nowhere',
    'sign-in',
  ]

  test('no page has an accessibility finding of axe at 1440, 1024 and 390 px, light or dark, and each fits on a phone', async () => {
    await client.tenants.create({ id: 'long', name: longName })
    const visit = await signIn(key)
    const { page, failures } = visit
    expect(await findingsAtAllWidths(visit, [...pages, ...more])).toEqual([])
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)
    expect(failures).toEqual([])
  })
})
