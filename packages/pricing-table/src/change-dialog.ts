// The dialog that shows a tenant the cost of changing its plan, and makes the change.
import { webAddress } from './address.ts'
import { h, type Child } from './dom.ts'
import { formatCount, formatDate, formatRounded } from './money.ts'
import { newKey, post, ServiceProblem, type Service } from './service.ts'
import { fill, type Messages } from './words.ts'

/** Body of a preview and of a change. */
export interface ChangeRequest {
  readonly subscription: string
  readonly replaces: string
  readonly items: readonly [{ readonly price_id: string; readonly quantity?: number }]
}

interface Money {
  readonly amount: number | string
  readonly currency: string
}

interface PlacedItem {
  readonly processor_price_id: string
  readonly quantity: number | null
}

/** An invoice, and what pays it beside the customer: `amount` is what is charged. Minor units. */
interface Invoiced extends Money {
  /** Part that credit grants pay. A service of an earlier version sends neither this nor `balance_applied`. */
  readonly credit_applied?: number
  readonly balance_applied?: number
}

/** The part of a preview that the dialog shows. */
interface Preview {
  readonly preview: string
  readonly when: 'now' | 'period_end'
  readonly effective_at: string
  readonly before: readonly PlacedItem[]
  readonly after: readonly PlacedItem[]
  readonly due_now: Invoiced
  readonly next_invoice: (Invoiced & { readonly at: string | null }) | null
  readonly monthly: { readonly before: readonly Money[]; readonly after: readonly Money[] }
  readonly warnings: readonly { readonly code: string; readonly detail: string }[]
}

interface Outcome {
  readonly status: 'changed' | 'scheduled' | 'payment_required'
  readonly effective_at: string
  readonly url?: string
}

export interface DialogOptions {
  readonly service: Service
  readonly words: Messages
  readonly locale: string
  /** Heading of the dialog, e.g. `Switch to Studio, yearly`. */
  readonly title: string
  /** What the tenant will have, e.g. `Studio, yearly`, and what it costs, e.g. `€420.00 per year`. Null: not known here. */
  readonly chosen: { readonly name: string; readonly cost: string | null }
  readonly request: ChangeRequest
  /** Called when the service has accepted the change, even if the change still waits for a payment. */
  readonly changed: (outcome: unknown) => void
  /** Called when the dialog was closed. */
  readonly closed: () => void
}

/** Opens the dialog in `root`, loads the preview, and makes the change when the user confirms it. */
export function openChangeDialog(root: ShadowRoot, options: DialogOptions): void {
  const { words, title, closed } = options
  const closing = new AbortController()
  const body = h('div', { class: 'dialog-body', part: 'dialog-body', role: 'status' })
  const actions = h('div', { class: 'dialog-actions', part: 'dialog-actions' })
  const heading = h('h3', { id: 'dialog-title', class: 'name', part: 'dialog-title', dir: 'auto' }, title)
  const dialog = h(
    'dialog',
    { class: 'dialog', part: 'dialog', 'aria-labelledby': 'dialog-title' },
    heading,
    body,
    actions,
  )
  const close = () => {
    dialog.close()
  }
  dialog.addEventListener('close', () => {
    closing.abort()
    dialog.remove()
    closed()
  })
  root.append(dialog)
  const end = button(words.cancel, 'dialog-close', close)
  actions.append(end)
  const show = (content: readonly Child[], buttons: readonly HTMLElement[]) => {
    body.replaceChildren(...content.filter((child) => child !== null))
    // Keeps `end` in the document, because an element that is removed and inserted again loses the focus.
    while (end.previousSibling !== null) end.previousSibling.remove()
    end.before(...buttons)
  }
  show([h('p', {}, words.calculating)], [])
  dialog.showModal()
  void conversation({ ...options, show, dialog, end, signal: closing.signal })
}

interface Conversation extends DialogOptions {
  readonly show: (content: readonly Child[], buttons: readonly HTMLElement[]) => void
  readonly dialog: HTMLDialogElement
  readonly end: HTMLButtonElement
  /** Aborted when the dialog is closed. */
  readonly signal: AbortSignal
}

/** Shows the preview, and below it `notice` if there is one. */
async function conversation(talk: Conversation, notice: string | null = null): Promise<void> {
  const { service, request, words, signal, show } = talk
  try {
    const preview = (await post(service, 'subscription/preview', request, { signal })) as Preview
    const confirm = button(words.confirm, 'dialog-confirm', () => void change(talk, preview))
    // The focus stays on the button that closes the dialog. So a key press cannot confirm amounts that the user has not seen.
    show(previewParts(preview, talk, notice), [confirm])
  } catch (error) {
    if (!signal.aborted) showProblem(talk, error)
  }
}

/** Makes the change. Closing the dialog does not cancel it, because the service may have made the change already. */
async function change(talk: Conversation, { preview }: Preview): Promise<void> {
  const { service, request, words, show, dialog, end } = talk
  // Until the outcome is known, Escape does not close the dialog. (Browsers close it anyway on a second Escape.)
  const stay = (event: Event) => {
    event.preventDefault()
  }
  dialog.addEventListener('cancel', stay)
  end.disabled = true
  show([h('p', {}, words.changing)], [])
  try {
    const sent = { signal: new AbortController().signal, key: newKey() }
    showOutcome(talk, (await post(service, 'subscription/change', { ...request, preview }, sent)) as Outcome)
  } catch (error) {
    if (error instanceof ServiceProblem && error.code === 'preview_stale') void conversation(talk, words.previewStale)
    else showProblem(talk, error)
  } finally {
    dialog.removeEventListener('cancel', stay)
    end.disabled = false
    if (dialog.open && !dialog.contains(focused(dialog))) end.focus()
  }
}

const focused = (dialog: HTMLDialogElement): Element | null => {
  const root = dialog.getRootNode()
  return root instanceof ShadowRoot ? root.activeElement : null
}

function showOutcome({ words, locale, show, end, dialog, changed, closed }: Conversation, outcome: Outcome): void {
  const { status, effective_at: at, url } = outcome
  const said = {
    changed: words.changed,
    scheduled: fill(words.scheduled, { date: formatDate(at, locale) }),
    payment_required: words.paymentRequired,
  } as const
  end.textContent = words.close
  show([h('p', {}, said[status])], payLink(url ?? null, words))
  changed(outcome)
  if (!dialog.open) closed()
}

function showProblem({ words, show, end }: Conversation, error: unknown): void {
  const problem = error instanceof ServiceProblem ? error : null
  const text = problemText(problem?.code ?? null, words)
  // For a code without a built-in text, adds the service's own text, which is more specific but in English.
  const more = text === words.changeFailed ? (problem?.detail ?? null) : null
  end.textContent = words.close
  show(
    [h('p', { class: 'problem', part: 'problem' }, text), more === null ? null : h('p', { dir: 'auto' }, more)],
    payLink(problem?.url ?? null, words),
  )
  end.focus()
}

function problemText(code: string | null, words: Messages): string {
  const texts: Readonly<Record<string, string>> = {
    payment_overdue: words.paymentOverdue,
    not_allowed: words.notAllowed,
    tenant_busy: words.busy,
    rate_limited: words.busy,
    session_invalid: words.signedOut,
    service_key_missing: words.signedOut,
  }
  return texts[code ?? ''] ?? words.changeFailed
}

function payLink(url: string | null, words: Messages): HTMLElement[] {
  const address = url === null ? null : webAddress(url, document.baseURI)
  return address === null ? [] : [h('a', { class: 'cta', part: 'dialog-pay', href: address }, words.pay)]
}

function previewParts(preview: Preview, { words, locale, chosen }: Conversation, notice: string | null): Child[] {
  const { when, effective_at: at, due_now: due, next_invoice: next, monthly, warnings } = preview
  const money = ({ amount, currency }: Money) => formatRounded(String(amount), currency, locale)
  const charged = (invoice: Invoiced) => [money(invoice), ...paidBy(invoice, words, locale)].join(' · ')
  const sum = (all: readonly Money[]) => all.map(money).join(' + ')
  const date = next?.at ?? null
  const row = (name: string, value: string): HTMLElement[] => [h('dt', {}, name), h('dd', {}, value)]
  return [
    notice === null ? null : h('p', { class: 'problem', part: 'problem' }, notice),
    ...warnings.map(({ code, detail }) =>
      h('p', { class: 'warning', part: 'warning', dir: 'auto' }, warningText(code, words) ?? detail),
    ),
    h(
      'dl',
      { class: 'preview', part: 'preview' },
      ...(chosen.cost === null ? [] : row(chosen.name, chosen.cost)),
      ...quantityOf(preview).flatMap((quantity) => row(words.quantity, formatCount(quantity, locale))),
      ...row(words.changeBegins, when === 'now' ? words.atOnce : formatDate(at, locale)),
      ...row(words.dueNow, charged(due)),
      ...row(
        words.nextInvoice,
        next === null
          ? words.noInvoice
          : date === null
            ? charged(next)
            : fill(words.moneyOn, { money: charged(next), date: formatDate(date, locale) }),
      ),
      ...row(words.monthlyCost, fill(words.fromTo, { before: sum(monthly.before), after: sum(monthly.after) })),
    ),
  ]
}

function paidBy(
  { amount, currency, credit_applied: credit = 0, balance_applied: balance = 0 }: Invoiced,
  words: Messages,
  locale: string,
): string[] {
  const say = (text: string, value: number) => fill(text, { money: formatRounded(String(value), currency, locale) })
  return [
    ...(credit > 0 ? [say(words.creditPays, credit)] : []),
    ...(balance > 0 ? [say(words.balancePays, balance)] : []),
    // A negative part beside a charge is an old debt, which the amount contains.
    ...(balance < 0 && Number(amount) === 0 ? [say(words.balanceGiven, -balance)] : []),
  ]
}

/** Returns the quantities that the change sets, without quantities of 1. */
function quantityOf({ before, after }: Preview): number[] {
  const had = (one: PlacedItem) =>
    before.some(({ processor_price_id: id, quantity }) => id === one.processor_price_id && quantity === one.quantity)
  return after
    .filter((one) => !had(one))
    .flatMap(({ quantity }) => (quantity === null || quantity === 1 ? [] : [quantity]))
    .slice(0, 1)
}

function warningText(code: string, words: Messages): string | null {
  const texts: Readonly<Record<string, string>> = {
    legacy_price_left: words.legacyPriceLeft,
    ends_anyway: words.endsAnyway,
    replaces_scheduled: words.replacesScheduled,
    usage_apart: words.usageApart,
  }
  return texts[code] ?? null
}

function button(text: string, part: string, act: () => void): HTMLButtonElement {
  const element = h('button', { type: 'button', class: 'cta', part }, text)
  element.addEventListener('click', act)
  return element
}
