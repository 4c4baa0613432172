// Translates parameters of former API versions to current ones. Applies to requests with a former `Stripe-Version`, and to requests without
// a version (e.g. of Stripe's command-line tool or curl), because Stripe would use the account's version for them. In a request with the
// current version, former parameters are an error.
import { emptyForm, isNode, type FormNode } from './form.ts'

type Translation = (form: FormNode) => FormNode

/** For each operation: the first API version without the earlier parameters, and the function that translates them. */
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

/** Translates the former `payment_method_types` to `allowed_payment_method_types`, which filters the default types. */
function typesAllowed({ payment_method_types: types, ...form }: FormNode): FormNode {
  return types === undefined ? form : node({ ...form, allowed_payment_method_types: types })
}

/** Translates `billing_cycle_anchor` from the former plain values `now` and `unchanged` to an object with a `type`. */
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
