import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import Stripe from 'stripe'
import { beforeEach, describe, expect, it } from 'vitest'
import { startServer, type RunningServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { cliWorld, type CliWorld } from '../cli-world.ts'

const key = 'cli-update-service-key'
let home: CliWorld
let world: CliWorld
let server: RunningServer
let stripe: Stripe

beforeEach(async () => {
  home = cliWorld()
  const dataDir = path.join(home.cwd, 'data')
  server = await startServer({
    env: { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: key, RATECARD_LOG_LEVEL: 'silent' },
    port: 0,
    dataDir,
    out: () => undefined,
  })
  stripe = new Stripe(readFileSync(path.join(dataDir, 'sandbox-key'), 'utf8').trim(), {
    host: '127.0.0.1',
    port: Number(new URL(server.sandboxUrl ?? '').port),
    protocol: 'http',
    telemetry: false,
  })
  world = cliWorld({ RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: key, HOOK_HOST: 'hooks.example.com' })
  world.write('ratecard/billing/catalog.yaml', catalog)
  world.write('ratecard/billing/rest.jsonc', rest)
  expect(await world.run(['billing', 'push', '--quiet'])).toMatchObject({ exit: 0, stderr: '' })
  return async () => {
    await server.close()
    home.remove()
    world.remove()
  }
})

const catalog = `# Prices are agreed with sales: see the wiki
version: 1.0.0
products:
- id: pro            # our bread and butter
  name: 'Pro'
  metadata: { team: growth, tier: two }   # for reports
  prices:
    -   id: pro_monthly
        amount: 1200    # euro cents
        currency: eur
        interval: month

    # yearly: two months free
    -   { id: pro_yearly, amount: 12000, currency: eur, interval: year, default: true }
  ui:
    tagline: "For teams"
`
const rest = `{
  "version": "1.0.0",
  "products": [],
  // who hears of it
  "webhooks": [
    { "url": "https://\${HOOK_HOST}/billing",  "events": ["invoice.paid", "invoice.created"] /* both */ }
  ],
  "coupons": [
    { "id": "welcome", "name": "Welcome", "percent_off": 25, "duration": "once" }, // spring
  ],
}
`
const file = (name: string) => readFileSync(path.join(world.cwd, 'ratecard/billing', name), 'utf8')
const update = ['billing', 'pull', '--update']

async function priceId(id: string): Promise<string> {
  const { config } = await createClient({ baseUrl: server.url, serviceKey: key }).admin.config()
  return config.products.flatMap((product) => product.prices ?? []).find((price) => price.id === id)?.processor_id ?? ''
}

async function renameCoupon(): Promise<void> {
  const [coupon] = (await stripe.coupons.list()).data
  await stripe.coupons.update(coupon?.id ?? '', { name: 'Hello' })
}

async function editAtProcessor(): Promise<void> {
  await stripe.products.update('rc_pro', {
    name: 'Pro: the one',
    description: 'For teams, and "more"',
    metadata: { tier: 'three', foreign: 'yes' },
    default_price: await priceId('pro_monthly'),
  })
  await renameCoupon()
}

const catalogAfter = catalog
  .replace("'Pro'", "'Pro: the one'")
  .replace('tier: two', 'tier: three')
  .replace('        interval: month\n', '        interval: month\n        default: true\n')
  .replace(', default: true }', ' }')
  .replace('    tagline: "For teams"\n', '    tagline: "For teams"\n  description: For teams, and "more"\n')

describe('ratecard billing pull --update', () => {
  it('writes each value edited at the processor into its configuration file, changes no other byte, and leaves nothing to push', async () => {
    await editAtProcessor()
    const ran = await world.run(update)
    expect(ran).toMatchObject({ exit: 0 })
    expect(ran.stdout).toContain('ratecard/billing/catalog.yaml  product pro  name: "Pro" → "Pro: the one"')
    expect(file('catalog.yaml')).toBe(catalogAfter)
    expect(file('rest.jsonc')).toBe(rest.replace('"Welcome"', '"Hello"'))
    // The push creates a revision without a write, because processor and files are equal.
    expect((await world.run(['billing', 'push', '--yes'])).stdout).toContain('Nothing is written to the processor.')
    expect((await world.run(['billing', 'drift', '--exit-code'])).exit).toBe(0)
    expect((await world.run(update)).stdout).toContain('The files match the live values')
  })

  it('writes values as literal text: a "${" in a name is escaped, and metadata that no file lists is omitted', async () => {
    const name = '$${not this} ${HOOK_HOST}'
    await stripe.coupons.update((await stripe.coupons.list()).data[0]?.id ?? '', { name, metadata: { foreign: 'yes' } })
    expect((await world.run(update)).exit).toBe(0)
    expect(file('rest.jsonc')).toBe(rest.replace('"Welcome"', () => JSON.stringify('$$${not this} $${HOOK_HOST}')))
    expect((await world.run(['billing', 'push', '--yes'])).stdout).toContain('Nothing is written to the processor.')
    expect((await world.run(update)).stdout).toContain('The files match the live values')

    await stripe.products.create({ name: 'Theirs ${HOOK_HOST}' })
    expect((await world.run([...update, '--all'])).exit).toBe(0)
    expect(file('catalog.yaml') + file('rest.jsonc')).toContain('Theirs $${HOOK_HOST}')
    const pulled = await world.run(['billing', 'pull'])
    expect(pulled.stdout).toContain('Theirs $${HOOK_HOST}')
  })

  it('writes only after the user confirmed the list of edits, and writes nothing with --dry-run', async () => {
    await editAtProcessor()
    const dry = await world.run([...update, '--dry-run'])
    expect(dry.stdout).toContain('"Welcome" → "Hello"')
    expect((await world.run(update, { answer: { confirm: false } })).exit).toBe(1)
    expect(file('catalog.yaml')).toBe(catalog)
    expect(file('rest.jsonc')).toBe(rest)
    expect((await world.run(update, { answer: { confirm: true } })).exit).toBe(0)
    expect(file('catalog.yaml')).toBe(catalogAfter)
  })

  it('writes each changed event of a webhook to the webhook’s file, and refuses to overwrite a value that comes from a variable', async () => {
    const [endpoint] = (await stripe.webhookEndpoints.list()).data
    await stripe.webhookEndpoints.update(endpoint?.id ?? '', { enabled_events: ['invoice.created', 'charge.refunded'] })
    expect((await world.run(update)).exit).toBe(0)
    const after = rest.replace('["invoice.paid", "invoice.created"]', '["invoice.created", "charge.refunded"]')
    expect(file('rest.jsonc')).toBe(after)

    await stripe.webhookEndpoints.update(endpoint?.id ?? '', { url: 'https://elsewhere.example.com/billing' })
    await renameCoupon()
    const refused = await world.json(update)
    expect(refused).toMatchObject({ exit: 1, document: { error: { code: 'update_refused' } } })
    expect(refused.document.error.detail).toContain('https://${HOOK_HOST}/billing')
    expect(file('rest.jsonc')).toBe(after)
  })

  it('keeps the variable of a secret in a webhook URL, and neither writes nor prints the secret', async () => {
    const [before, after] = ['b3fore-s3cr3t', 'aft3r-s3cr3t']
    const env = { IN_TOKEN: before }
    const hooks = `version: 1.0.0
products: []
webhooks:
- { id: hooks, url: "https://in.example.com/?token=\${IN_TOKEN}", events: [ invoice.paid ] }
`
    world.write('ratecard/billing/hooks.yaml', hooks)
    expect(await world.run(['billing', 'push', '--yes'], { env })).toMatchObject({ exit: 0 })
    const endpoint = (await stripe.webhookEndpoints.list()).data.find(({ url }) => url.includes('token'))
    expect(endpoint?.url).toBe(`https://in.example.com/?token=${before}`)
    const printed: string[] = []
    const pulls = async () => {
      const ran = await world.run(update, { env })
      printed.push(ran.stdout, ran.stderr)
      return ran.exit
    }

    await stripe.webhookEndpoints.update(endpoint?.id ?? '', { enabled_events: ['invoice.created'] })
    expect(await pulls()).toBe(0)
    expect(file('hooks.yaml')).toBe(hooks.replace('invoice.paid', 'invoice.created'))

    await stripe.webhookEndpoints.update(endpoint?.id ?? '', { url: `https://in.example.com/?token=${after}` })
    expect(await pulls()).toBe(1)
    expect(file('hooks.yaml')).toBe(hooks.replace('invoice.paid', 'invoice.created'))
    expect(printed.join('\n')).toContain('${IN_TOKEN}')
    expect(printed.join('\n')).not.toMatch(new RegExp(`${before}|${after}`))
  })

  it('leaves out objects that Ratecard does not manage, unless --all is given', async () => {
    const product = await stripe.products.create({ name: 'Legacy' })
    const price = await stripe.prices.create({
      product: product.id,
      currency: 'eur',
      unit_amount: 500,
      recurring: { interval: 'month' },
      lookup_key: 'legacy_monthly',
    })
    const without = await world.run(update)
    expect(without.stderr).toContain('price legacy_monthly')
    expect(file('catalog.yaml')).toBe(catalog)

    expect((await world.run([...update, '--all'])).exit).toBe(0)
    expect(file('catalog.yaml').startsWith(catalog)).toBe(true)
    expect(file('catalog.yaml')).toContain(`processor_id: ${price.id}`)
    const planned = await world.json(['billing', 'push', '--dry-run'])
    expect(planned.document.details).toMatchObject([{ action: 'adopt' }, { action: 'adopt' }])
  })

  it('allows the currencies that it writes with `extra_currencies`, and no others', async () => {
    const product = await stripe.products.create({ name: 'Legacy' })
    await stripe.prices.create({ product: product.id, currency: 'huf', unit_amount: 5000 })
    await stripe.prices.update(await priceId('pro_monthly'), { currency_options: { krw: { unit_amount: 15_000 } } })
    expect(await world.run(update)).toMatchObject({ exit: 0 })
    expect(file('catalog.yaml')).toMatch(/\nextra_currencies:\n *- krw\n/)
    expect((await world.run(['billing', 'push', '--yes'])).stdout).toContain('Nothing is written to the processor.')
    expect((await world.run([...update, '--all'])).exit).toBe(0)
    expect(file('catalog.yaml')).toMatch(/\nextra_currencies:\n *- krw\n *- huf\n/)
  })

  it('writes a feature that was attached to a product at the processor into the product’s file', async () => {
    const withFeature = catalog.replace('  name: ', '  features: [sso]\n  name: ')
    world.write('ratecard/billing/catalog.yaml', `${withFeature}features:\n- { id: sso, name: Single sign-on }\n`)
    expect(await world.run(['billing', 'push', '--quiet'])).toMatchObject({ exit: 0 })
    for (const lookup_key of ['audit', 'unused']) {
      const { id } = await stripe.entitlements.features.create({ name: lookup_key, lookup_key })
      if (lookup_key === 'audit') await stripe.products.createFeature('rc_pro', { entitlement_feature: id })
    }
    const { exit, stderr } = await world.run(update)
    expect([exit, stderr]).toEqual([0, expect.stringContaining('1 active object in no file: feature unused')])
    expect(file('catalog.yaml')).toMatch(/features: \[ ?audit, sso ?\]/)
    expect(await world.run(['billing', 'push', '--yes'])).toMatchObject({ exit: 0 })
    expect((await stripe.products.listFeatures('rc_pro')).data).toHaveLength(2)
    expect(await world.run(['billing', 'drift', '--exit-code'])).toMatchObject({ exit: 0 })
  })

  it('writes an edited value into each file that contains the value if a product is split over several files', async () => {
    const price = { id: 'pro_partner', amount: 900, currency: 'eur', interval: 'month', enterprise_template: 'partner' }
    const product = { id: 'pro', name: 'Pro', prices: [{ ...price, base_price: 'pro_monthly' }] }
    world.write('ratecard/billing/partners.json', { version: '1.0.0', products: [product] })
    expect((await world.run(['billing', 'push', '--quiet'])).exit).toBe(0)
    await stripe.products.update('rc_pro', { name: 'Pro: the one' })
    expect((await world.run(update)).exit).toBe(0)
    expect(file('partners.json')).toContain('"name": "Pro: the one"')
    expect((await world.run(['billing', 'push', '--dry-run'])).stdout).toContain('Nothing is written to the processor.')
  })

  it('writes the new default price of a product into the product’s file, together with the meter of that price', async () => {
    const meter = await stripe.billing.meters.create({
      display_name: 'Calls',
      event_name: 'calls',
      default_aggregation: { formula: 'sum' },
    })
    const recurring = { interval: 'month', usage_type: 'metered', meter: meter.id } as const
    const made = { currency: 'eur', unit_amount: 2, recurring }
    const price = await stripe.prices.create({ product: 'rc_pro', lookup_key: 'pro_calls', ...made })
    await stripe.prices.create({ product: 'rc_pro', lookup_key: 'pro_other', currency: 'eur', unit_amount: 7 })
    await stripe.products.update('rc_pro', { default_price: price.id })
    const { exit, stderr } = await world.run(update)
    expect([exit, stderr]).toEqual([0, expect.stringContaining('1 active object in no file: price pro_other')])
    expect(file('catalog.yaml')).toContain('pro_calls')
    expect(await world.run(['billing', 'validate'])).toMatchObject({ exit: 0 })
    expect(await world.run(['billing', 'push', '--yes'])).toMatchObject({ exit: 0 })
    expect((await stripe.products.retrieve('rc_pro')).default_price).toBe(price.id)
    expect(await world.run(['billing', 'drift', '--exit-code'])).toMatchObject({ exit: 0 })
  })

  it('keeps an object that was archived at the processor in the object’s file, and reports the archived object', async () => {
    await stripe.products.update('rc_pro', { default_price: '' })
    await stripe.prices.update(await priceId('pro_monthly'), { active: false })
    const ran = await world.run(update)
    expect(ran.stderr).toContain('price pro_monthly is not active at the processor')
    expect(file('catalog.yaml')).toContain('id: pro_monthly')
    const again = await world.run(update)
    expect(again.stdout).not.toContain('The files match the live values')
    expect(again.stdout).toContain('The files differ only in objects that are inactive at the processor')
  })

  it.each([[['--output', 'x.json', '--update']], [['--all']], [['--dry-run']]])(
    'is refused with %j',
    async (options) => {
      expect((await world.run(['billing', 'pull', ...options])).exit).toBe(2)
    },
  )
})
