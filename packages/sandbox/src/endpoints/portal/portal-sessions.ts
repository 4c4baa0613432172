// Sessions of the customer portal. A session with a flow (`flow_data`) shows a page for a single act, e.g. cancelling a subscription.
import type { PortalConfigurationBody, PortalFlowBody } from '../../objects/session-bodies.ts'
import { isEnded } from '../../billing/subscriptions/subscription-records.ts'
import { activePrice } from '../../billing/subscriptions/subscription-items.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { badRequest, missingParam, notSupported } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import type { Operation } from '../../protocol/operation.ts'
import { integer, list, oneOf, required, shape, text, type Read } from '../../protocol/parameters/params.ts'
import { webUrl } from '../checkout/new-session.ts'
import { configurationFor } from './portal-configurations.ts'

const flowFields = {
  after_completion: shape({
    hosted_confirmation: shape({ custom_message: text({ max: 500 }) }),
    redirect: shape({ return_url: required(webUrl()) }),
    type: required(oneOf('hosted_confirmation', 'portal_homepage', 'redirect')),
  }),
  subscription_cancel: shape({ subscription: required(text()) }),
  subscription_update: shape({ subscription: required(text()) }),
  subscription_update_confirm: shape({
    discounts: list(shape({ coupon: text(), promotion_code: text() }), { max: 1 }),
    items: required(list(shape({ id: required(text()), price: text(), quantity: integer({ min: 0 }) }), { max: 1 })),
    subscription: required(text()),
  }),
  type: required(
    oneOf('payment_method_update', 'subscription_cancel', 'subscription_update', 'subscription_update_confirm'),
  ),
}
type FlowParams = Read<typeof flowFields>

const portalFields = {
  configuration: text(),
  customer: text(),
  flow_data: shape(flowFields),
  return_url: webUrl(),
}

/** The feature of the configuration that each flow needs. */
const featureOf = {
  payment_method_update: 'payment_method_update',
  subscription_cancel: 'subscription_cancel',
  subscription_update: 'subscription_update',
  subscription_update_confirm: 'subscription_update',
} as const

function flowOf(
  call: OperationContext,
  customer: string,
  { features }: PortalConfigurationBody,
  given: FlowParams,
): PortalFlowBody {
  const { type } = given
  const feature = featureOf[type]
  if (!features[feature].enabled) {
    const name = feature.replaceAll('_', ' ')
    const what =
      feature === 'subscription_update'
        ? 'This subscription cannot be updated'
        : `The flow \`${type}\` is not available`
    throw badRequest(`${what} because the ${name} feature in your portal configuration is disabled.`, 'flow_data[type]')
  }
  const own = type === 'payment_method_update' ? undefined : given[type]
  if (type !== 'payment_method_update' && own === undefined) throw missingParam(`flow_data[${type}]`)
  if (own !== undefined) checkSubscription(call, customer, own.subscription, `flow_data[${type}][subscription]`)
  const confirm = type === 'subscription_update_confirm' ? given.subscription_update_confirm : undefined
  return {
    after_completion: afterCompletion(given),
    customer_update: null,
    subscription_cancel:
      type === 'subscription_cancel' && own !== undefined ? { retention: null, subscription: own.subscription } : null,
    subscription_pause: null,
    subscription_update:
      type === 'subscription_update' && own !== undefined ? { subscription: own.subscription } : null,
    subscription_update_confirm: confirm === undefined ? null : confirmed(call, features, confirm),
    type,
  }
}

function checkSubscription(call: OperationContext, customer: string, id: string, name: string): void {
  const found = call.reference('subscription', id, name)
  if (found.customer !== customer)
    throw badRequest(`The subscription ${id} does not belong to the customer ${customer}.`, name)
  if (isEnded(found)) throw badRequest(`The subscription ${id} has ended.`, name)
}

function afterCompletion({ after_completion: given }: FlowParams): PortalFlowBody['after_completion'] {
  if (given?.type === 'redirect' && given.redirect === undefined)
    throw missingParam('flow_data[after_completion][redirect]')
  return {
    hosted_confirmation:
      given?.type === 'hosted_confirmation'
        ? { custom_message: given.hosted_confirmation?.custom_message ?? null }
        : null,
    redirect:
      given?.type === 'redirect' && given.redirect !== undefined ? { return_url: given.redirect.return_url } : null,
    type: given?.type ?? 'portal_homepage',
  }
}

function confirmed(
  call: OperationContext,
  { subscription_update: update }: PortalConfigurationBody['features'],
  { discounts, items, subscription: id }: NonNullable<FlowParams['subscription_update_confirm']>,
): NonNullable<PortalFlowBody['subscription_update_confirm']> {
  const place = 'flow_data[subscription_update_confirm]'
  const subscription = call.reference('subscription', id, `${place}[subscription]`)
  const [item] = items
  if (item === undefined) throw missingParam(`${place}[items]`)
  // Source: the SDK's documentation of `items`.
  if (subscription.items.data.length > 1)
    throw badRequest('Subscriptions with multiple items are not updatable.', `${place}[items]`)
  const held = subscription.items.data.find((one) => one.id === item.id)
  if (held === undefined) throw badRequest(`The subscription ${id} has no item ${item.id}.`, `${place}[items][0][id]`)
  if (item.price !== undefined && item.price !== held.price) {
    const { id: price } = activePrice(call, item.price, `${place}[items][0]`)
    if (!update.products.some(({ prices }) => prices.includes(price)))
      throw badRequest(
        `The price ${price} is not among the products of the portal configuration.`,
        `${place}[items][0][price]`,
      )
  }
  if ((discounts ?? []).some(({ coupon }) => coupon !== undefined))
    throw notSupported('coupons in a flow of the portal', `${place}[discounts]`)
  return {
    discounts:
      discounts === undefined
        ? null
        : discounts.map((one) => ({ coupon: null, promotion_code: one.promotion_code ?? null })),
    items: [{ id: item.id, price: item.price ?? held.price, quantity: item.quantity ?? held.quantity ?? 1 }],
    subscription: id,
  }
}

export const portalSessions: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    of: 'billing_portal.session',
    run: (call) => {
      const params = call.read(portalFields)
      if (params.customer === undefined) throw missingParam('customer')
      const id = newId('bps_1', 40)
      const customer = call.reference('customer', params.customer, 'customer').id
      const configuration = configurationFor(call, params.configuration)
      const settings = call.reference('billing_portal.configuration', configuration, 'configuration')
      const object = call.create(
        {
          id,
          object: 'billing_portal.session',
          configuration,
          created: call.now,
          customer,
          flow: params.flow_data === undefined ? null : flowOf(call, customer, settings, params.flow_data),
          return_url: params.return_url ?? null,
          url: `${call.origin}/portal/${id}`,
        },
        'billing_portal.session.created',
      )
      return { object }
    },
  },
]
