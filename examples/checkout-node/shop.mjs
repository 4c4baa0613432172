// A shop in one file: the price list, a checkout, the signed webhooks, and the account page of whoever bought.
// A real shop knows its customers by their login; this one has a single tenant, whose id is in the address.
import { createServer } from 'node:http'
import { createClient, verifyWebhook } from '@ratecard/client'

const port = Number(process.env.PORT ?? 3000)
const home = process.env.SHOP_URL ?? `http://127.0.0.1:${port}`
const ratecard = createClient({
  baseUrl: process.env.RATECARD_API_URL ?? 'http://127.0.0.1:4242',
  serviceKey: process.env.RATECARD_SERVICE_KEY,
})

/** Types and ids of the genuine webhooks so far. */
const received = []
let secret

const routes = {
  'GET /': showPrices,
  'POST /buy': buy,
  'GET /account': showAccount,
  'POST /hooks': receiveWebhook,
}

createServer(async (request, response) => {
  try {
    const url = new URL(request.url, home)
    const route = routes[`${request.method} ${url.pathname}`]
    if (route === undefined) send(response, 404, page('Not here', '<p>There is no such page.</p>'))
    else await route({ request, response, url })
  } catch (error) {
    // The client's errors have a code and a text for people; the log gets both.
    console.error(error.code ?? '', error.message)
    const status = error.name === 'WebhookError' ? 400 : error.status === 404 ? 404 : 500
    send(response, status, page('That did not work', `<p>${escaped(error.message)}</p>`))
  }
}).listen(port, '127.0.0.1', () => console.log(`The shop is at ${home}`))

async function showPrices({ response, url }) {
  const { config } = await ratecard.billing.config()
  const tenant = url.searchParams.get('tenant') ?? 'glazeworks'
  const offers = config.products.flatMap((product) =>
    (product.prices ?? []).map(
      (price) => `<form method="post" action="/buy">
        <h2>${escaped(price.ui?.display_name ?? price.id)}</h2>
        <p>${amountOf(price)}</p>
        <input type="hidden" name="tenant" value="${escaped(tenant)}">
        <input type="hidden" name="price" value="${escaped(price.id)}">
        <label>Seats <input type="number" name="quantity" value="1" min="1"></label>
        <button id="buy-${escaped(price.id)}">Buy</button>
      </form>`,
    ),
  )
  send(response, 200, page('Prices', offers.join('\n')))
}

async function buy({ request, response }) {
  const form = new URLSearchParams(await bodyOf(request))
  const tenantId = form.get('tenant')
  await makeTenant(tenantId)
  const { url } = await ratecard.checkout.create({
    tenantId,
    priceId: form.get('price'),
    quantity: Number(form.get('quantity')),
    successUrl: `${home}/account?tenant=${encodeURIComponent(tenantId)}`,
    cancelUrl: `${home}/?tenant=${encodeURIComponent(tenantId)}`,
  })
  response.writeHead(303, { location: url }).end()
}

async function makeTenant(id) {
  try {
    await ratecard.tenants.find(id)
  } catch (error) {
    if (error.code !== 'tenant_not_found') throw error
    await ratecard.tenants.create({ id, name: id })
  }
}

async function showAccount({ response, url }) {
  const tenant = url.searchParams.get('tenant')
  const { billingStatus, subscriptions } = await ratecard.tenants.subscriptions(tenant)
  const rows = subscriptions.flatMap(({ items }) =>
    items.map((item) => `<li>${escaped(item.priceId ?? item.processorPriceId)} × ${item.quantity ?? 1}</li>`),
  )
  send(
    response,
    200,
    page(
      'Your account',
      `<p id="status">${billingStatus}</p><ul>${rows.join('')}</ul>
    <p>Webhooks: <span id="webhooks">${received.map(({ type }) => type).join(', ')}</span></p>`,
    ),
  )
}

async function receiveWebhook({ request, response }) {
  secret ??= (await ratecard.admin.webhooks()).find(({ id }) => id === 'shop')?.secret
  const event = await verifyWebhook(await bodyOf(request), request.headers['stripe-signature'], secret)
  received.push({ type: event.type, id: event.id })
  response.writeHead(204).end()
}

async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function amountOf({ amount, currency, interval }) {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  // Amounts are in minor units: cents, but whole yen.
  const value = format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits)
  return interval === undefined ? value : `${value} per ${interval}`
}

const escaped = (text) => String(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

function page(title, body) {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`
}

function send(response, status, html) {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html)
}
