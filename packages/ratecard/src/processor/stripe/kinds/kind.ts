// Interface of the adapter for one kind of object: the kind's name at Stripe, its writes and its reads.
import type { Stripe } from 'stripe'
import type { ObservedResource, ProcessorId, ResourceKind } from '../../../catalog/resource.ts'
import type { CreateStep, UpdateStep } from '../../../catalog/steps.ts'

export { idOf, knownWord as known, listOf } from '../connection/reading.ts'

export type CreateOf<K extends ResourceKind> = Extract<CreateStep<ProcessorId>, { readonly kind: K }>
export type UpdateOf<K extends ResourceKind> = Extract<UpdateStep<ProcessorId>, { readonly kind: K }>

/** A request that is not sent yet. */
export interface Request<T> {
  /** Method and path template, e.g. `POST /v1/prices`. */
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

export interface ReadContext {
  /** Current time in Unix seconds. */
  readonly now: number
}

export interface KindAdapter<K extends ResourceKind = ResourceKind, Live extends Reply = Reply> {
  readonly kind: K
  /** Stripe's value of the member `object`, e.g. `price`. */
  readonly object: string
  /** Fields that an update may set. If an update contains another field, the plan has a bug. */
  readonly updatable: readonly string[]
  create(step: CreateOf<K>): Request<Live>
  update(step: UpdateOf<K>): Request<Live>
  /** Returns the request that archives an object. A result with `deletes` means that archiving deletes the object, e.g. a coupon. */
  archive(id: ProcessorId): Request<Live> | { readonly id: ProcessorId; readonly deletes: Request<Deletion> }
  retrieve(id: ProcessorId): Request<Live>
  search(step: CreateOf<K>): Request<Live> | ListRequest<Live>
  /** Returns the list requests for all objects of the kind, archived ones included. */
  lists(): readonly ListRequest<Live>[]
  observe(object: Live, around: ReadContext): ObservedResource<K>
}

/** Values of members that most kinds do not have. */
export const ordinary = { companions: 0, attachments: {}, redeemed: 0, carried: 0, spent: false } as const

/** Returns an object with one parameter; an empty object if the value is null. */
export function unlessNull<Name extends string, Value>(name: Name, value: Value | null): { [Key in Name]?: Value } {
  return value === null ? {} : ({ [name]: value } as { [Key in Name]?: Value })
}

/** Returns an object with one parameter; an empty object if the value is an empty text or list. */
export function unlessEmpty<Name extends string, Value extends string | readonly unknown[]>(name: Name, value: Value) {
  return unlessNull(name, value.length === 0 ? null : value)
}

/** Returns the names of the conditions that are true. */
export function reasonsIn(conditions: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(conditions).filter((reason) => conditions[reason])
}

/** Returns a copy of the object without one member. */
export function withoutMember(object: object, member: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== member))
}
