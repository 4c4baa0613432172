import type { Stripe } from 'stripe'
import { processorId, type ObservedResource } from '../../../catalog/resource.ts'
import { changeParams, creationParams, readFields, updatableFields, type Translations } from './field-translation.ts'
import { updatableField, immutableField } from './same-member.ts'
import { ordinary, type CreateOf, type KindAdapter, type UpdateOf } from './kind.ts'
import { unmanagedMembers } from './members.ts'
import { metadataChange, newMetadata, splitMetadata } from './metadata.ts'

type Features = Stripe['entitlements']['features']

const translations: Translations<
  'feature',
  Stripe.Entitlements.Feature,
  Stripe.Entitlements.FeatureCreateParams,
  Stripe.Entitlements.FeatureUpdateParams
> = {
  name: updatableField('name'),
  lookupKey: immutableField('lookup_key'),
}

export function featureAdapter(features: Features): KindAdapter<'feature', Stripe.Entitlements.Feature> {
  const change = (id: string, params: Stripe.Entitlements.FeatureUpdateParams) => ({
    operation: 'POST /v1/entitlements/features/:id',
    send: (options: Stripe.RequestOptions) => features.update(id, params, options),
  })
  const list = (filter: Stripe.Entitlements.FeatureListParams) => ({
    operation: 'GET /v1/entitlements/features',
    page: (paging: Stripe.PaginationParams, options: Stripe.RequestOptions) =>
      features.list({ ...filter, ...paging }, options),
  })
  return {
    kind: 'feature',
    object: 'entitlements.feature',
    updatable: updatableFields(translations),
    create: (step) => ({
      operation: 'POST /v1/entitlements/features',
      send: (options) => features.create(newFeatureParams(step), options),
    }),
    update: (step) => change(step.processorId, featureChangeParams(step)),
    // Archiving a feature is final: Stripe no longer lists it and refuses to change it. Its lookup key can be used again.
    archive: (id) => change(id, { active: false }),
    retrieve: (id) => ({
      operation: 'GET /v1/entitlements/features/:id',
      send: (options) => features.retrieve(id, {}, options),
    }),
    search: (step) => list({ lookup_key: step.fields.lookupKey }),
    lists: () => [list({})],
    observe: observeFeature,
  }
}

export function newFeatureParams(step: CreateOf<'feature'>): Stripe.Entitlements.FeatureCreateParams {
  return {
    ...(creationParams(translations, step) as Pick<Stripe.Entitlements.FeatureCreateParams, 'name' | 'lookup_key'>),
    metadata: newMetadata(step.configId, step.fields.metadata),
  }
}

export function featureChangeParams(step: UpdateOf<'feature'>): Stripe.Entitlements.FeatureUpdateParams {
  return { ...changeParams(translations, step.set), ...metadataChange(step) }
}

export function observeFeature(feature: Stripe.Entitlements.Feature): ObservedResource<'feature'> {
  const { author, mark, companions } = splitMetadata(feature.metadata)
  return {
    ...ordinary,
    ...unmanagedMembers('feature', feature),
    kind: 'feature',
    processorId: processorId(feature.id),
    active: feature.active,
    fields: { ...readFields<'feature'>(translations, feature), metadata: author },
    mark,
    companions,
    created: 0,
    unrepresentable: [],
    raw: feature,
  }
}
