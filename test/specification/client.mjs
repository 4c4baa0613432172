// A client, written from the tables of the specification alone.
import { createClient } from '@ratecard/client'

const { RATECARD_API_URL: baseUrl, RATECARD_SERVICE_KEY: serviceKey, SESSION: session, TENANT: tenant } = process.env
const headers = { 'Content-Type': 'application/json', 'X-Service-Key': serviceKey }
const call = async (method, path, body) => {
  const response = await fetch(`${baseUrl}/api/v1/billing/${path}`, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return response.json()
}
const price = (id, amount, more) => ({ id, amount, currency: 'usd', interval: 'month', ...more })
const gold = price('pro_gold', 700, { public: false, enterprise_template: 'gold' })
const meters = [{ id: 'calls', display_name: 'Calls', event_name: 'call' }]
const config = { version: '1.0.0', meters, products: [{ id: 'pro', name: 'Pro', prices: [price('pro', 900), gold] }] }
const { valid } = await call('POST', 'admin/config/validate', config)
const { changes } = await call('POST', 'admin/config', config)
const { price: pro } = await (await fetch(`${baseUrl}/api/v1/billing/config/prices/pro`)).json()
const { meter } = await (await fetch(`${baseUrl}/api/v1/billing/config/meters/calls`)).json()
const { config_id: id } = await call('GET', `convert/processor-id/${pro.processor_id}`)
const { amount } = await call('POST', 'config/prices/pro/calculate', { quantity: 3 })
const { prices } = await call('GET', 'admin/enterprise/prices/by-template/gold')
const wish = { priceId: 'pro', successUrl: 'https://shop.example.com/done', cancelUrl: 'https://shop.example.com/back' }
const byKey = await createClient({ baseUrl, serviceKey }).checkout.create({ ...wish, trialPeriodDays: 7 })
const bySession = await createClient({ baseUrl, session }).checkout.create({ ...wish, allowPromotionCodes: true })
await call('POST', 'admin/enterprise/apply-template', { tenant_id: tenant, enterprise_template: 'gold' })
await call('POST', 'admin/config/reset')
const urls = [byKey.url, bySession.url]
process.stdout.write(JSON.stringify({ valid, changes, meter, id, amount, prices, urls }))
