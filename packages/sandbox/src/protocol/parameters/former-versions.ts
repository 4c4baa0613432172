// Translates parameters of former API versions. Applies to requests with a former `Stripe-Version`. Also applies to requests without a
// version (e.g. of Stripe's command-line tool or curl), which have the account's version at Stripe. A request with the current version gets
// an error for former parameters.
import { emptyForm, isNode, type FormNode } from './form.ts'

type Translation = (form: FormNode) => FormNode

/** For each operation: the first version without the former parameters, and the translation. */
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

export function translateFormerParameters(operation: string, form: FormNode, version: string | null): FormNode {
  const [before, say] = former[operation] ?? []
  return before === undefined || say === undefined || (version !== null && version >= before) ? form : node(say(form))
}

/** Translates `payment_method_types`, which is a filter of the default types now: `allowed_payment_method_types`. */
function typesAllowed({ payment_method_types: types, ...form }: FormNode): FormNode {
  return types === undefined ? form : node({ ...form, allowed_payment_method_types: types })
}

/** Translates `billing_cycle_anchor`: `now` and `unchanged` were plain values, and are objects with a `type` now. */
function anchorByType({ billing_cycle_anchor: anchor, ...form }: FormNode): FormNode {
  if (anchor === undefined) return form
  return node({ ...form, billing_cycle_anchor: isNode(anchor) ? anchor : node({ type: anchor }) })
}

function detailsByType({ subscription_details: details, ...form }: FormNode): FormNode {
  if (details === undefined) return form
  return node({ ...form, subscription_details: isNode(details) ? node(anchorByType(details)) : details })
}

/** Drops `payment_method_types` if it lists cards only. It has no effect, because the sandbox saves cards only. */
function withoutCards({ payment_method_types: types, ...form }: FormNode): FormNode {
  return types === undefined || isCardAlone(types) ? form : node({ ...form, payment_method_types: types })
}

function isCardAlone(types: FormNode[string]): boolean {
  return isNode(types) && Object.values(types).every((type) => type === 'card')
}

function node(fields: FormNode): FormNode {
  return Object.assign(emptyForm(), fields)
}
