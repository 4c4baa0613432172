// A customer looks after its plan: sees it, changes plan and seats after a preview, cancels, comes back, and reads its invoices.
// Everything is asked of Ratecard with the customer's session. There is no key on this page.
import { createClient } from '@ratecard/client'

const ratecard = createClient({ baseUrl: location.origin })
const sum = (amounts) => amounts.map(({ formatted }) => formatted).join(' + ')
const find = (selector) => document.querySelector(selector)
const date = (time) =>
  new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long' }).format(new Date(time))

/** Errors in words for the customer. The codes are those of the reference; any other has the service's own text. */
const words = {
  session_invalid: 'You are signed out. Please sign in again.',
  service_key_missing: 'You are signed out. Please sign in again.',
  preview_stale: 'Something has changed in the meantime. Please look at the cost again.',
  payment_overdue: 'An invoice is unpaid. Please pay it first.',
  tenant_busy: 'Another change is in progress. Please try again in a moment.',
}

const { config } = await ratecard.billing.config()
const plans = new Map(
  config.products.flatMap((product) =>
    (product.prices ?? []).map((price) => [price.id, { price, name: `${product.name}, per ${price.interval}` }]),
  ),
)
const nameOf = (priceId) => plans.get(priceId)?.name ?? 'A plan that is not sold any more'

/** What one unit of a listed price costs. Nothing for a price of before, and for one with tiers: the invoices say what those cost. */
function costOf({ priceId, legacy }) {
  const { amount, currency } = plans.get(priceId)?.price ?? {}
  if (legacy || amount === undefined) return ''
  const format = new Intl.NumberFormat(document.documentElement.lang, { style: 'currency', currency })
  return `, ${format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits)} each`
}

for (const [id, { name }] of plans) find('[name=price]').append(new Option(name, id))
find('#change').addEventListener('submit', (event) => {
  event.preventDefault()
  void attempt(changePlan)
})
await attempt(show)

/** Shows what the customer has and was billed. */
async function show() {
  const [{ subscriptions }, { invoices }] = await Promise.all([
    ratecard.subscription.list(),
    ratecard.subscription.invoices({ limit: 50 }),
  ])
  find('#present').replaceChildren(
    ...(subscriptions.length === 0 ? [element('p', 'You have no plan yet.')] : subscriptions.flatMap(present)),
  )
  // Last on the page, so that nobody takes it for a way back.
  find('#end').replaceChildren(...subscriptions.filter((one) => endOf(one) === null).map(cancelButton))
  const [item] = subscriptions[0]?.items ?? []
  if (plans.has(item?.priceId)) find('[name=price]').value = item.priceId
  find('[name=quantity]').value = item?.quantity ?? 1
  find('#invoices').replaceChildren(...invoices.map(invoiceRow))
}

function endOf({ items, cancelAt, cancelAtPeriodEnd }) {
  return cancelAt ?? (cancelAtPeriodEnd ? items[0].currentPeriodEnd : null)
}

function cancelButton({ id }) {
  return button('Cancel the plan', () => {
    if (confirm('Cancel the plan? It goes on until the end of its period.'))
      void act('Your plan ends with its period.', () => ratecard.subscription.cancel({ subscription: id }))
  })
}

function present(subscription) {
  const { id, status, items, scheduled } = subscription
  const ends = endOf(subscription)
  const renews = items[0].currentPeriodEnd
  return [
    ...items.map((item) =>
      element('p', `${nameOf(item.priceId)} × ${item.quantity ?? 'usage'}${costOf(item)} (${status})`),
    ),
    ...(ends !== null
      ? [element('p', `It ends on ${date(ends)}.`)]
      : renews === null
        ? []
        : [element('p', `It renews on ${date(renews)}.`)]),
    ...(scheduled === null
      ? []
      : [
          element(
            'p',
            `From ${date(scheduled.at)}: ${scheduled.items.map((item) => `${nameOf(item.priceId)} × ${item.quantity}`).join(', ')}`,
          ),
        ]),
    ends === null && scheduled === null
      ? ''
      : button('Keep it as it is', () =>
          act('Your plan goes on.', () => ratecard.subscription.resume({ subscription: id })),
        ),
  ]
}

/** Shows what the change costs. If the customer confirms, makes it at exactly these amounts. */
async function changePlan() {
  const form = new FormData(find('#change'))
  const items = [{ priceId: form.get('price'), quantity: Number(form.get('quantity')) }]
  const preview = await ratecard.subscription.preview({ items })
  const answer = await confirmed(preview)
  if (!answer) return say('Nothing was changed.')
  const { status, effectiveAt, url } = await ratecard.subscription.change({ items, preview: preview.preview })
  if (status === 'payment_required') {
    say('Your payment needs a confirmation. ', Object.assign(element('a', 'Pay now'), { href: url }))
    return
  }
  await show()
  say(status === 'changed' ? 'Your plan has changed.' : `Your plan changes on ${date(effectiveAt)}.`)
}

function confirmed({ when, effectiveAt, dueNow, nextInvoice, monthly, warnings }) {
  const dialog = find('#preview')
  const rows = {
    Begins: when === 'now' ? 'at once' : date(effectiveAt),
    'Due now': dueNow.formatted,
    'Next invoice': nextInvoice === null ? 'none' : `${nextInvoice.formatted} on ${date(nextInvoice.at)}`,
    'Per month': `${sum(monthly.before)} → ${sum(monthly.after)}`,
  }
  dialog
    .querySelector('dl')
    .replaceChildren(...Object.entries(rows).flatMap(([name, value]) => [element('dt', name), element('dd', value)]))
  dialog.querySelector('ul').replaceChildren(...warnings.map(({ detail }) => element('li', detail)))
  dialog.returnValue = ''
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'confirm'), { once: true })
  })
}

function invoiceRow({ number, createdAt, formatted: total, status, url }) {
  const cell = (...content) => {
    const td = element('td', '')
    td.append(...content)
    return td
  }
  const row = element('tr', '')
  const name = number ?? 'draft'
  row.append(
    cell(url === null ? name : Object.assign(element('a', name), { href: url })),
    cell(date(createdAt)),
    cell(total),
    cell(status),
  )
  return row
}

async function act(done, work) {
  await attempt(async () => {
    await work()
    await show()
    say(done)
  })
}

async function attempt(work) {
  try {
    await work()
  } catch (error) {
    say(words[error.code] ?? error.message)
  }
}

function say(...content) {
  find('#notice').replaceChildren(...content)
}

function element(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text })
}

function button(text, work) {
  const made = Object.assign(element('button', text), { type: 'button' })
  made.addEventListener('click', () => void work())
  return made
}
