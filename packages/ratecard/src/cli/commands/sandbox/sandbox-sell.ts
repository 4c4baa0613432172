// Commands that play the customer at a sandbox: they pay what its hosted pages ask for, with a test card.
import { setTimeout as pause } from 'node:timers/promises'
import { RatecardError, type Client, type Subscription, type TenantInvoice } from '@ratecard/client'
import type { Command, CommandContext, OptionSpec } from '../../program/command.ts'
import { CliFailure, usageFailure } from '../../failure.ts'
import { connect } from '../../server-address.ts'
import { escapeBreaks } from '../../terminal/terminal-text.ts'
import { itemsText } from '../../views/items.ts'
import { jsonCheckout, jsonSubscription, jsonTenantInvoice } from '../../views/text/json.ts'
import { formatTable, showTime } from '../../views/text/table.ts'
import { parseItem } from '../tenants/subscriptions.ts'

/** Numbers of the test cards, by the value of `--card`. */
const cards = {
  pays: '4242424242424242',
  declined: '4000000000000002',
  fails_later: '4000000000000341',
} as const

type Card = keyof typeof cards

const cardOption: OptionSpec = {
  flags: '--card <card>',
  description:
    '`declined` is refused at once; `fails_later` can be saved, e.g. at the start of a trial, and each payment with it is declined.',
  choices: Object.keys(cards),
  defaultText: 'pays',
}

const cardOf = ({ options }: CommandContext) => (options.text('card') ?? 'pays') as Card

export const sandboxBuy: Command = {
  name: 'sandbox buy',
  summary: 'Buy prices for a tenant at a sandbox: make the checkout, and pay its page',
  description:
    'For trying out and for tests; it works only if the service is on a sandbox. Prints the subscription, its invoice, and what is billed next.',
  arguments: [
    { name: '<tenant>', description: 'Id of the tenant.' },
    {
      name: '<prices...>',
      description: 'Price ids of your configuration, each as `pro` or `pro=5` for five of it.',
    },
  ],
  options: [
    cardOption,
    { flags: '--promotion-code <code>', description: 'Promotion code, as customers type it.' },
    { flags: '--currency <code>', description: 'Currency of the purchase, e.g. `eur`.' },
  ],
  examples: [
    { command: 'ratecard sandbox buy glazeworks pro=5', what: 'five seats' },
    { command: 'ratecard sandbox buy glazeworks pro --card declined', what: 'a card that is refused' },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const [tenantId = '', ...prices] = args
    const { client, url } = connect(context)
    await requireSandbox(client, url, io.signal)
    const before = await boughtOf(client, tenantId, io.signal)
    const [promotionCode, currency] = [options.text('promotionCode'), options.text('currency')]
    const checkout = await client.checkout.create(
      {
        tenantId,
        items: prices.map(parseItem),
        ...{ successUrl: 'http://127.0.0.1/paid', cancelUrl: 'http://127.0.0.1/cancelled' },
        ...(promotionCode === undefined ? {} : { promotionCode }),
        ...(currency === undefined ? {} : { currency }),
      },
      { signal: io.signal },
    )
    if (checkout.sessionId !== null)
      await payPage(checkout.url, { card: cardOf(context), email: `${tenantId}@example.com`, signal: io.signal })
    const bought = await newlyBought(client, tenantId, {
      before,
      isPaid: checkout.sessionId !== null,
      signal: io.signal,
    })
    out.say(`${out.paint.green('✓')} ${escapeBreaks(tenantId)} bought ${prices.map(escapeBreaks).join(', ')}.`)
    const next = await nextOf(client, tenantId, bought.subscriptions, io.signal)
    out.print(formatTable(['', '', ''], rowsOf(bought, next), out))
    if (checkout.trial === 'used') out.note('The tenant had its free trial before, so it paid at once.')
    return {
      json: {
        checkout: jsonCheckout(checkout),
        subscriptions: bought.subscriptions.map(jsonSubscription),
        invoices: bought.invoices.map(jsonTenantInvoice),
      },
    }
  },
}

export const sandboxPay: Command = {
  name: 'sandbox pay',
  summary: 'Pay a page of a sandbox: a checkout, an invoice, or a confirmation that a bank asks for',
  description: 'For trying out and for tests; other pages than those of a sandbox are refused.',
  arguments: [
    {
      name: '<url>',
      description: 'URL of the page, e.g. that of a checkout or of a change that waits for its payment.',
    },
  ],
  options: [cardOption],
  examples: [
    { command: 'ratecard sandbox pay http://127.0.0.1:4243/pay/cs_test_…', what: 'a checkout page' },
    {
      command: 'ratecard sandbox pay http://127.0.0.1:4243/invoices/in_… --card declined',
      what: 'an attempt that fails',
    },
  ],
  run: async (context) => {
    const [page = ''] = context.args
    await payPage(page, { card: cardOf(context), email: 'customer@example.com', signal: context.io.signal })
    context.out.say(`${context.out.paint.green('✓')} The page is paid.`)
    return { json: { paid: true } }
  },
}

/** Throws `not_a_sandbox` unless the service writes to a sandbox. */
async function requireSandbox(client: Client, url: string, signal: AbortSignal): Promise<void> {
  const { mode } = await client.admin.account({ signal })
  if (mode !== 'sandbox') throw notASandbox(`The service at ${url} writes to an account of Stripe in ${mode} mode.`)
}

const notASandbox = (detail: string) =>
  new CliFailure(1, {
    code: 'not_a_sandbox',
    title: 'This works only at a sandbox',
    detail: `${detail} Nothing was bought or paid.`,
    hint: 'Start the service without STRIPE_SECRET_KEY: it then runs a sandbox of its own.',
  })

interface Payment {
  readonly card: Card
  readonly email: string
  readonly signal: AbortSignal
}

/** Submits the form of a hosted page. Throws `payment_declined` if the page shows an error instead of accepting the payment. */
async function payPage(page: string, { card, email, signal }: Payment): Promise<void> {
  const url = URL.parse(page)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageFailure(`"${page}" is not the address of a page.`, 'Pass the URL of a checkout or of an invoice.')
  if (!(await isSandbox(url, signal))) throw notASandbox(`${url.origin} is not a sandbox.`)
  const isConfirmation = url.pathname.startsWith('/authenticate/')
  const action = isConfirmation ? (card === 'declined' ? 'fail' : 'complete') : 'pay'
  const body = new URLSearchParams({ action, email, number: cards[card] })
  const response = await fetch(url, { method: 'POST', body, redirect: 'manual', signal })
  const text = await response.text()
  if (response.status === 404)
    throw new CliFailure(1, {
      code: 'sandbox_refused',
      title: 'The sandbox refused the request',
      detail: `The sandbox at ${url.origin} has no page ${url.pathname}.`,
      hint: 'Use the whole URL as it was printed. Pages are gone if the data of the sandbox was removed.',
    })
  const refusal = /<p role="alert">([^<]*)<\/p>/.exec(text)?.[1]
  if (response.status < 400 && refusal === undefined) return
  throw new CliFailure(1, {
    code: 'payment_declined',
    title: 'The payment was not accepted',
    detail: plainText(
      refusal ?? /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? `The page answered ${String(response.status)}.`,
    ),
    hint: `The page stays open: ${url.href}`,
  })
}

/** True if a sandbox serves the origin. To other machines a sandbox answers its control routes with an error of its own. */
async function isSandbox(url: URL, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(new URL('/_sandbox/', url), { signal, redirect: 'manual' }).catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new CliFailure(70, {
      code: 'server_unreachable',
      title: 'The sandbox could not be reached',
      detail: `Nothing answers at ${url.origin} (${cause instanceof Error ? cause.message : String(cause)}).`,
      hint: 'Start the service whose sandbox made the page, or pass the whole URL as it was printed.',
    })
  })
  const answer: unknown = await response.json().catch(() => null)
  return (
    typeof answer === 'object' &&
    answer !== null &&
    ('usage_check' in answer || ('error' in answer && String(answer.error).startsWith('Control routes')))
  )
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const plainText = (html: string) =>
  html.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '').trim()

interface Bought {
  readonly subscriptions: readonly Subscription[]
  readonly invoices: readonly TenantInvoice[]
}

async function boughtOf(client: Client, tenantId: string, signal: AbortSignal): Promise<Bought> {
  const [{ subscriptions }, invoices] = await Promise.all([
    client.tenants.subscriptions(tenantId, { signal }),
    invoicesOf(client, tenantId, signal),
  ])
  return { subscriptions, invoices }
}

/** Returns the tenant's newest invoices. Without a complete mirror the service knows none, and the result is empty. */
async function invoicesOf(client: Client, tenantId: string, signal: AbortSignal): Promise<readonly TenantInvoice[]> {
  try {
    return (await client.tenants.invoices(tenantId, { limit: 100, signal })).invoices
  } catch (error) {
    if (error instanceof RatecardError && ['mirror_off', 'mirror_filling'].includes(error.code)) return []
    throw error
  }
}

/** Time (ms) for which `sandbox buy` waits until the service has read of the sale, e.g. if the sandbox delivers no events to it. */
const patienceMs = 10_000

interface Sale {
  readonly before: Bought
  /** False for a free price, which has no invoice. */
  readonly isPaid: boolean
  readonly signal: AbortSignal
}

/** Waits until the service shows what the tenant has more than `before`. */
async function newlyBought(client: Client, tenantId: string, { before, isPaid, signal }: Sale): Promise<Bought> {
  const news = <Item extends { readonly id: string }>(now: readonly Item[], then: readonly Item[]) =>
    now.filter(({ id }) => then.every((one) => one.id !== id))
  for (let waited = 0; ; waited += 100) {
    const now = await boughtOf(client, tenantId, signal)
    const subscriptions = news(now.subscriptions, before.subscriptions)
    const invoices = news(now.invoices, before.invoices)
    // Metered prices alone bill nothing at the beginning.
    const isMetered = subscriptions.length > 0 && subscriptions.every(({ items }) => items.every(hasNoQuantity))
    if (!isPaid || isMetered || invoices.length > 0 || waited >= patienceMs) return { subscriptions, invoices }
    await pause(100, undefined, { signal })
  }
}

const hasNoQuantity = ({ quantity }: Subscription['items'][number]) => quantity === null

type NextInvoice = Awaited<ReturnType<Client['tenants']['upcomingInvoice']>>['invoices'][number]

async function nextOf(
  client: Client,
  tenantId: string,
  subscriptions: readonly Subscription[],
  signal: AbortSignal,
): Promise<readonly NextInvoice[]> {
  if (subscriptions.every(({ home }) => home === 'local')) return []
  const { invoices } = await client.tenants.upcomingInvoice(tenantId, { signal })
  return invoices.filter(({ subscription }) => subscriptions.some(({ id }) => id === subscription))
}

function rowsOf({ subscriptions, invoices }: Bought, next: readonly NextInvoice[]): string[][] {
  return [
    ...subscriptions.map(({ id, status, items, trialEnd }) => [
      ...['subscription', id],
      `${itemsText(items)}: ${status}${trialEnd === null ? '' : ` until ${showTime(trialEnd)} UTC`}`,
    ]),
    ...invoices.map(({ id, number, status, formatted }) => ['invoice', number ?? id, `${formatted}, ${status}`]),
    ...next.map(({ formatted, dueAt }) => [...['next', dueAt === null ? '' : `${showTime(dueAt)} UTC`], formatted]),
  ]
}
