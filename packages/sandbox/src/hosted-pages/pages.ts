// Hosted pages: checkout, portal, invoice and authentication. As with the real pages, access needs only the URL.
import type { Transactions } from '../transactions.ts'
import type { ApiReply } from '../protocol/api.ts'
import type { OperationContext } from '../protocol/operation-context.ts'
import { StripeError } from '../protocol/responses/errors.ts'
import type { Bodies } from '../objects/bodies.ts'
import type { State } from '../store/state.ts'
import { showAuthentication, submitAuthentication } from './authenticate-page.ts'
import { showCheckout, submitCheckout, type CheckoutForm } from './checkout-page.ts'
import { html, page, type HtmlResponse } from './html.ts'
import { payInvoice, showInvoice } from './invoice-page.ts'
import { showPortal, submitPortal } from './portal-page.ts'

interface PageRequest {
  readonly method: string
  readonly path: string
  readonly body: string
}

interface PageParts {
  readonly state: State
  readonly transactions: Transactions
  readonly onFailure: (error: unknown) => void
}

export function isPage(path: string): boolean {
  return ['/authenticate/', '/invoices/', '/pay/', '/portal/'].some((start) => path.startsWith(start))
}

export async function handlePage(parts: PageParts, request: PageRequest): Promise<ApiReply> {
  const [, place, id = ''] = request.path.split('/')
  const { kind, answer } = pageOf(place, id)
  try {
    // Page ids are unique among all accounts, so the account is found by the id alone, without an API key.
    const account = parts.state.ownerOf(kind, id)
    if (account === undefined || (request.method !== 'GET' && request.method !== 'POST')) return reply(notFound())
    await parts.transactions.runOverdue(account)
    const form = request.method === 'POST' ? new URLSearchParams(request.body) : null
    return reply(answer(parts, account, id, form))
  } catch (error) {
    parts.onFailure(error)
    return reply(page('Something went wrong', html`<p>The sandbox failed. Its log contains the cause.</p>`, 500))
  }
}

function reply(made: HtmlResponse): ApiReply {
  const headers: Record<string, string> = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
  if (made.location !== undefined) headers['Location'] = made.location
  return { status: made.status, headers, body: made.body, wire: 'whole' }
}

const notFound = (): HtmlResponse => page('Not found', html`<p>There is no such page.</p>`, 404)

type PageKind = Parameters<State['ownerOf']>[0]
type Form = URLSearchParams | null

/** A type of hosted page. `show` renders the page of an object, with an error if there is one. `submit` handles the submitted form. */
interface HostedPage<K extends PageKind> {
  readonly kind: K
  readonly show: (call: OperationContext, found: Bodies[K], error: string | null, form: Form) => HtmlResponse
  readonly submit: (call: OperationContext, found: Bodies[K], form: URLSearchParams) => HtmlResponse
}

interface OpenPage {
  readonly kind: PageKind
  readonly answer: (parts: PageParts, account: string, id: string, form: Form) => HtmlResponse
}

function hosted<K extends PageKind>({ kind, show, submit }: HostedPage<K>): OpenPage {
  const answer = ({ transactions }: PageParts, account: string, id: string, form: Form): HtmlResponse => {
    const onObject = (work: (call: OperationContext, found: Bodies[K]) => HtmlResponse): HtmlResponse =>
      transactions.runWithoutRequest(account, (call) => {
        const found = call.find(kind, id)
        return found === undefined ? notFound() : work(call, found)
      })
    const shown = (error: string | null): HtmlResponse => onObject((call, found) => show(call, found, error, form))
    if (form === null) return shown(null)
    try {
      return onObject((call, found) => submit(call, found, form))
    } catch (error) {
      // The transaction was rolled back. Render the page again with the error.
      if (error instanceof StripeError) return shown(error.message)
      throw error
    }
  }
  return { kind, answer }
}

function authentication(kind: 'payment_intent' | 'setup_intent'): OpenPage {
  return hosted({
    kind,
    show: (_call, intent) => showAuthentication(intent),
    submit: (call, intent, form) => submitAuthentication(call, intent, form.get('action') ?? ''),
  })
}

const setupPage = authentication('setup_intent')
const paymentPage = authentication('payment_intent')
const checkoutPage = hosted({
  kind: 'checkout.session',
  show: (call, session, error, form) => showCheckout(call, session, read(form), error),
  submit: (call, session, form) => submitCheckout(call, session, read(form)),
})
const portalPage = hosted({
  kind: 'billing_portal.session',
  show: (call, session, error) => showPortal(call, session, error),
  submit: (call, session, form) =>
    submitPortal(call, session, {
      action: form.get('action') ?? '',
      subscription: form.get('subscription') ?? '',
      price: form.get('price') ?? '',
      number: form.get('number') ?? '',
    }),
})
// A draft invoice has no page.
const invoicePage = hosted({
  kind: 'invoice',
  show: (_call, invoice, error) => (invoice.status === 'draft' ? notFound() : showInvoice(invoice, error)),
  submit: (call, invoice, form) =>
    invoice.status === 'draft' ? notFound() : payInvoice(call, invoice, (form.get('number') ?? '').trim()),
})

function pageOf(place: string | undefined, id: string): OpenPage {
  if (place === 'pay') return checkoutPage
  if (place === 'authenticate') return id.startsWith('seti_') ? setupPage : paymentPage
  return place === 'invoices' ? invoicePage : portalPage
}

function read(form: Form): CheckoutForm {
  const field = (name: string): string => (form?.get(name) ?? '').trim().slice(0, 512)
  return {
    action: field('action'),
    email: field('email'),
    number: field('number'),
    iban: field('iban'),
    code: field('code'),
  }
}
