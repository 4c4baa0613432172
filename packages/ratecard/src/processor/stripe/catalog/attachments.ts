// Features attached to products. Stripe needs a list request per product to read them, and separate writes to attach and detach them.
import type { Stripe } from 'stripe'
import type { ObservedResource, ProcessorId } from '../../../catalog/resource.ts'
import type { AttachStep, DetachStep } from '../../../catalog/steps.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { PerformedStep, ReadOptions, WriteOptions } from '../../processor.ts'
import { replyFlaw, type StripeContext } from './context.ts'
import { idOf } from '../kinds/kind.ts'
import { listAll } from '../connection/pages.ts'
import { performDeletion, requestIdOf, writeOf } from '../connection/perform-request.ts'
import { translateReply } from '../customers/single-object.ts'

/** Maximum number of list requests in flight. */
const concurrency = 8

export type AttachmentStep = AttachStep<ProcessorId> | DetachStep

export function isAttachmentStep(step: { readonly op: string }): step is AttachmentStep {
  return step.op === 'attach' || step.op === 'detach'
}

/**
 * Returns the products with their attached features. If the account has no features, nothing is read, because Stripe needs one list request
 * per product. Archived features are ignored, even where they are still attached.
 */
export async function withAttachments(
  context: StripeContext,
  products: readonly ObservedResource<'product'>[],
  features: readonly ObservedResource<'feature'>[],
  { signal, onPage, attachments = ({ active }) => active }: ReadOptions,
): Promise<readonly ObservedResource<'product'>[]> {
  if (features.length === 0 || attachments === false) return products
  const living = new Set<string>(features.map(({ processorId }) => processorId))
  const found = new Map<string, readonly Stripe.ProductFeature[]>()
  const waiting = products.filter(attachments).values()
  const readNext = async () => {
    for (const { processorId } of waiting) {
      const attached = await attachmentsOf(context, processorId, signal)
      found.set(
        processorId,
        attached.filter((one) => living.has(featureOf(one))),
      )
      onPage?.({ kind: 'product_feature', objects: found.size })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, readNext))
  return products.map((product) => withFeatures(product, found.get(product.processorId) ?? []))
}

function withFeatures(
  product: ObservedResource<'product'>,
  attached: readonly Stripe.ProductFeature[],
): ObservedResource<'product'> {
  if (attached.length === 0) return product
  return {
    ...product,
    fields: { ...product.fields, features: attached.map((one) => featureOf(one)).sort() },
    attachments: Object.fromEntries(attached.map((one) => [featureOf(one), one.id])),
  }
}

/** Returns the id of an attachment's feature. Throws `broken` if the reply has none. */
function featureOf(attached: Stripe.ProductFeature): ProcessorId {
  return translateReply(attached, ({ entitlement_feature: feature }) => idOf(feature))
}

function attachmentsOf({ stripe, caller }: StripeContext, product: string, signal: AbortSignal) {
  return listAll(
    caller,
    'product_feature',
    {
      operation: 'GET /v1/products/:id/features',
      page: (paging, options) => stripe.products.listFeatures(product, paging, options),
    },
    { signal },
  )
}

export async function performAttachment(
  context: StripeContext,
  step: AttachmentStep,
  options: WriteOptions,
): Promise<PerformedStep> {
  const { stripe, caller } = context
  if (step.op === 'detach') {
    const request = {
      operation: 'DELETE /v1/products/:id/features/:child',
      send: (sending: Stripe.RequestOptions) =>
        stripe.products.deleteFeature(step.processorId, step.attachment, {}, sending),
    }
    const gone = await performDeletion(context, 'product_feature', request, step.attachment as ProcessorId, options)
    return { ...gone, processorId: step.processorId }
  }
  const request = {
    operation: 'POST /v1/products/:id/features',
    send: (sending: Stripe.RequestOptions) =>
      stripe.products.createFeature(step.processorId, { entitlement_feature: step.feature }, sending),
  }
  const reply = await caller.call({
    ...writeOf(request, options),
    flaw: (answer) => replyFlaw(answer, 'product_feature', null),
  })
  const requestId = requestIdOf(reply)
  if (featureOf(reply) !== step.feature)
    throw new ProcessorError(
      'broken',
      `Stripe accepted a feature of the product ${step.configId}, but returned another one than was sent.`,
      requestId === null ? {} : { request_id: requestId },
    )
  return performedStep(step, requestId)
}

/** Looks up whether an attachment step of unknown outcome happened. Returns its result, or null if it did not happen. */
export async function locateAttachment(
  context: StripeContext,
  step: AttachmentStep,
  signal: AbortSignal,
): Promise<PerformedStep | null> {
  const attached = await attachmentsOf(context, step.processorId, signal)
  const isThere = attached.some((one) =>
    step.op === 'attach' ? featureOf(one) === step.feature : one.id === step.attachment,
  )
  return isThere === (step.op === 'attach') ? performedStep(step, null) : null
}

function performedStep(step: AttachmentStep, requestId: string | null): PerformedStep {
  return { processorId: step.processorId, observed: null, secret: null, requestId }
}
