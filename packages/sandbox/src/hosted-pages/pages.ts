// Hosted pages: checkout, portal, invoice and authentication. As with the real pages, knowing the URL grants access.
import type { Transactions } from '../transactions.ts'
import type { ApiReply } from '../protocol/api.ts'
import type { OperationContext } from '../protocol/operation-context.ts'
import { StripeError } from '../protocol/responses/errors.ts'
import type { CheckoutSessionBody, PortalSessionBody } from '../objects/session-bodies.ts'
import type { InvoiceBody } from '../objects/customer-bodies.ts'
import type { State } from '../store/state.ts'
import { showAuthentication, submitAuthentication } from './authenticate-page.ts'
import { emptyCheckoutForm, showCheckout, submitCheckout } from './checkout-page.ts'
import type { CheckoutForm } from './checkout-page.ts'
import { html, page } from './html.ts'
import { payInvoice, showInvoice } from './invoice-page.ts'
import type { HtmlResponse } from './html.ts'
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
  try {
    const account = ownerOf(parts, request.path)
    if (account !== undefined) await parts.transactions.runOverdue(account)
    return reply(answer(parts, request))
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

/** The account of a page. Page ids are unique among all accounts, so no key is needed. */
function ownerOf({ state }: PageParts, path: string): string | undefined {
  const [, place, id = ''] = path.split('/')
  return state.ownerOf(kindOf(place, id), id)
}

type PageKind = 'billing_portal.session' | 'checkout.session' | 'invoice' | 'payment_intent' | 'setup_intent'

function kindOf(place: string | undefined, id: string): PageKind {
  if (place === 'pay') return 'checkout.session'
  if (place === 'authenticate') return intentKind(id)
  return place === 'invoices' ? 'invoice' : 'billing_portal.session'
}

function intentKind(id: string): 'payment_intent' | 'setup_intent' {
  return id.startsWith('seti_') ? 'setup_intent' : 'payment_intent'
}

function answer(parts: PageParts, request: PageRequest): HtmlResponse {
  const [, place, id = ''] = request.path.split('/')
  if (request.method !== 'GET' && request.method !== 'POST') return notFound()
  const form = request.method === 'POST' ? new URLSearchParams(request.body) : null
  if (place === 'invoices') return invoice(parts, id, form)
  if (place === 'authenticate') return authentication(parts, id, form)
  return place === 'pay' ? checkout(parts, id, form) : portal(parts, id, form)
}

function checkout({ state, transactions }: PageParts, id: string, form: URLSearchParams | null): HtmlResponse {
  const account = state.ownerOf('checkout.session', id)
  if (account === undefined) return notFound()
  const typed: CheckoutForm = form === null ? emptyCheckoutForm : read(form)
  const onSession = (work: (call: OperationContext, session: CheckoutSessionBody) => HtmlResponse): HtmlResponse =>
    transactions.runWithoutRequest(account, (call) => {
      const session = call.find('checkout.session', id)
      return session === undefined ? notFound() : work(call, session)
    })
  const show = (error: string | null): HtmlResponse =>
    onSession((call, session) => showCheckout(call, session, typed, error))
  if (form === null) return show(null)
  return withErrorPage(() => onSession((call, session) => submitCheckout(call, session, typed)), show)
}

function read(form: URLSearchParams): CheckoutForm {
  const field = (name: string): string => (form.get(name) ?? '').trim().slice(0, 512)
  return {
    action: field('action'),
    email: field('email'),
    number: field('number'),
    iban: field('iban'),
    code: field('code'),
  }
}

function portal({ state, transactions }: PageParts, id: string, form: URLSearchParams | null): HtmlResponse {
  const account = state.ownerOf('billing_portal.session', id)
  if (account === undefined) return notFound()
  const onSession = (work: (call: OperationContext, session: PortalSessionBody) => HtmlResponse): HtmlResponse =>
    transactions.runWithoutRequest(account, (call) => {
      const session = call.find('billing_portal.session', id)
      return session === undefined ? notFound() : work(call, session)
    })
  const show = (error: string | null): HtmlResponse => onSession((call, session) => showPortal(call, session, error))
  if (form === null) return show(null)
  const input = { action: form.get('action') ?? '', subscription: form.get('subscription') ?? '' }
  return withErrorPage(() => onSession((call, session) => submitPortal(call, session, input)), show)
}

function invoice({ state, transactions }: PageParts, id: string, form: URLSearchParams | null): HtmlResponse {
  const account = state.ownerOf('invoice', id)
  if (account === undefined) return notFound()
  const onInvoice = (work: (call: OperationContext, found: InvoiceBody) => HtmlResponse): HtmlResponse =>
    transactions.runWithoutRequest(account, (call) => {
      const found = call.find('invoice', id)
      // A draft invoice has no page.
      return found === undefined || found.status === 'draft' ? notFound() : work(call, found)
    })
  const show = (error: string | null): HtmlResponse => onInvoice((_call, found) => showInvoice(found, error))
  if (form === null) return show(null)
  return withErrorPage(
    () => onInvoice((call, found) => payInvoice(call, found, (form.get('number') ?? '').trim())),
    show,
  )
}

function authentication({ state, transactions }: PageParts, id: string, form: URLSearchParams | null): HtmlResponse {
  const account = state.ownerOf(intentKind(id), id)
  if (account === undefined) return notFound()
  return transactions.runWithoutRequest(account, (call) => {
    const intent = call.find(intentKind(id), id)
    if (intent === undefined) return notFound()
    return form === null ? showAuthentication(intent) : submitAuthentication(call, intent, form.get('action') ?? '')
  })
}

/** Shows the page again with the error, after the transaction was rolled back. */
function withErrorPage(work: () => HtmlResponse, show: (error: string) => HtmlResponse): HtmlResponse {
  try {
    return work()
  } catch (error) {
    if (error instanceof StripeError) return show(error.message)
    throw error
  }
}
