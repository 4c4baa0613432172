// What the adapter knows of one kind of object: how Stripe calls it, how to write it, how to read it.
import type { Stripe } from 'stripe'
import type { ObservedResource, ProcessorId, ResourceKind } from '../../../catalog/resource.ts'
import type { CreateStep, UpdateStep } from '../../../catalog/steps.ts'

export { idOf, known, listOf } from '../connection/reading.ts'

export type CreateOf<K extends ResourceKind> = Extract<CreateStep<ProcessorId>, { readonly kind: K }>
export type UpdateOf<K extends ResourceKind> = Extract<UpdateStep<ProcessorId>, { readonly kind: K }>

/** A request that is not sent yet. */
export interface Request<T> {
  /** Method and path template. */
  readonly operation: string
  readonly send: (options: Stripe.RequestOptions) => Promise<Stripe.Response<T>>
}

export interface ListRequest<T> {
  readonly operation: string
  readonly page: (
    paging: Stripe.PaginationParams,
    options: Stripe.RequestOptions,
  ) => Promise<Stripe.Response<Stripe.ApiList<T>>>
}

export interface Reply {
  readonly id: string
  readonly object: string
}

export interface Deletion {
  readonly id: string
  readonly object: string
  readonly deleted: boolean
}

export interface Surroundings {
  /** Unix seconds. */
  readonly now: number
}

export interface KindAdapter<K extends ResourceKind = ResourceKind, Live extends Reply = Reply> {
  readonly kind: K
  /** Stripe's word in the member `object`. */
  readonly object: string
  /** The fields that an update may set; anything else in an update is a bug of the plan. */
  readonly updatable: readonly string[]
  create(step: CreateOf<K>): Request<Live>
  update(step: UpdateOf<K>): Request<Live>
  /** `deletes`: the object is gone afterwards. */
  archive(id: ProcessorId): Request<Live> | { readonly id: ProcessorId; readonly deletes: Request<Deletion> }
  retrieve(id: ProcessorId): Request<Live>
  /** Where an object made by this step would be found. */
  search(step: CreateOf<K>): Request<Live> | ListRequest<Live>
  /** All objects of the kind, archived ones included. */
  lists(): readonly ListRequest<Live>[]
  observe(object: Live, around: Surroundings): ObservedResource<K>
}

/** What only some kinds of objects have. */
export const ordinary = { lookupKey: null, attachments: {}, redeemed: 0, carried: 0, spent: false } as const

/** Parameters that are only sent when there is a value. */
export function unlessNull<Name extends string, Value>(name: Name, value: Value | null): { [Key in Name]?: Value } {
  return value === null ? {} : ({ [name]: value } as { [Key in Name]?: Value })
}

/** Parameters that are only sent when there is something in them. */
export function unlessEmpty<Name extends string, Value extends string | readonly unknown[]>(name: Name, value: Value) {
  return unlessNull(name, value.length === 0 ? null : value)
}

/** The reasons whose condition holds. */
export function reasons(conditions: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(conditions).filter((reason) => conditions[reason])
}

/** Nothing but what is there: Stripe objects carry members that only exist in some states. */
export function without(object: object, member: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== member))
}
