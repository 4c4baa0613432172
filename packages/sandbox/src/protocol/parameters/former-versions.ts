// Parameters of former versions of the API, said in today's words: for programs that ask for such a version with `Stripe-Version`,
// and for those that ask for none, as Stripe's command-line tool and curl do. At Stripe such a request is of the version of its
// account, which may be any. Whoever asks for today's version gets them refused.
import { emptyForm, isNode } from './form.ts'
import type { FormNode } from './form.ts'

type Translation = (form: FormNode) => FormNode

/** By operation: until which version, and how it is said today. */
const former: Readonly<Record<string, readonly [before: string, say: Translation]>> = {
  'POST /v1/promotion_codes': [
    '2025-09-30.clover',
    ({ coupon, ...form }) =>
      coupon === undefined ? form : node({ ...form, promotion: node({ type: 'coupon', coupon }) }),
  ],
  'POST /v1/payment_intents': ['2026-09-30.endive', typesAllowed],
  'POST /v1/setup_intents': ['2026-09-30.endive', withoutCards],
  'POST /v1/checkout/sessions': ['2026-09-30.endive', typesAllowed],
  'POST /v1/subscriptions/:id': ['2026-09-30.endive', anchorByType],
  'POST /v1/subscriptions/:id/resume': ['2026-09-30.endive', anchorByType],
  'POST /v1/invoices/create_preview': ['2026-09-30.endive', detailsByType],
}

export function inTodaysWords(operation: string, form: FormNode, version: string | null): FormNode {
  const [before, say] = former[operation] ?? []
  return before === undefined || say === undefined || (version !== null && version >= before) ? form : node(say(form))
}

/** A filter of what is on offer by itself, where it used to be a list. */
function typesAllowed({ payment_method_types: types, ...form }: FormNode): FormNode {
  return types === undefined ? form : node({ ...form, allowed_payment_method_types: types })
}

/** `now` and `unchanged` by themselves. */
function anchorByType({ billing_cycle_anchor: anchor, ...form }: FormNode): FormNode {
  if (anchor === undefined) return form
  return node({ ...form, billing_cycle_anchor: isNode(anchor) ? anchor : node({ type: anchor }) })
}

function detailsByType({ subscription_details: details, ...form }: FormNode): FormNode {
  if (details === undefined) return form
  return node({ ...form, subscription_details: isNode(details) ? node(anchorByType(details)) : details })
}

/** Cards are all there is here, whether they are named or not. */
function withoutCards({ payment_method_types: types, ...form }: FormNode): FormNode {
  return types === undefined || isCardAlone(types) ? form : node({ ...form, payment_method_types: types })
}

function isCardAlone(types: FormNode[string]): boolean {
  return isNode(types) && Object.values(types).every((type) => type === 'card')
}

function node(fields: FormNode): FormNode {
  return Object.assign(emptyForm(), fields)
}
