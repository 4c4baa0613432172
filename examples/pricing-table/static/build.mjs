// Writes index.html with the prices of now, as a static site generator does: readers without script and search engines see them, and the
// script replaces them by the live table. Run it again after a push: `node build.mjs [address of the service]`.
import { readFileSync, writeFileSync } from 'node:fs'

const service = process.argv[2] ?? 'http://127.0.0.1:4242'
const folder = process.argv[3] ?? import.meta.dirname

const answer = await fetch(`${service}/api/v1/billing/config`)
if (!answer.ok) throw new Error(`${service} answered ${answer.status}. Is the service running, and were prices pushed?`)
const { config } = await answer.json()

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const html = (text) => String(text).replace(/[&<>"]/g, (character) => escapes[character])

const money = ({ amount, currency, interval }) => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const { maximumFractionDigits: decimals } = format.resolvedOptions()
  return `${format.format(amount / 10 ** decimals)}${interval === undefined ? '' : ` per ${interval}`}`
}

const lines = config.products.map(({ name, ui, prices = [] }) => {
  const amounts = prices.filter(({ amount }) => amount > 0).map(money)
  return `<li>${html(ui?.display_name ?? name)}${amounts.length === 0 ? '' : `: ${html(amounts.join(', '))}`}</li>`
})

const page = readFileSync(new URL('page.html', import.meta.url), 'utf8')
writeFileSync(
  `${folder}/index.html`,
  page.replaceAll('{{service}}', service).replace('{{prices}}', () => lines.join('\n')),
)
