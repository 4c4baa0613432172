// Types of the ids that your configuration has.

/**
 * Ids of your configuration by kind. By default the interface is empty, and each id is a `string`. `ratecard billing types` writes a file
 * that adds members such as `PriceId` and `FeatureId`. If that file is part of your program, an unknown id is a type error in each call.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the generated file adds the members
export interface RegisteredIds {}

type Registered<Name extends string> =
  RegisteredIds extends Readonly<Record<Name, infer Id extends string>> ? Id : string

export type ProductId = Registered<'ProductId'>
export type PriceId = Registered<'PriceId'>
export type FeatureId = Registered<'FeatureId'>
export type MeterId = Registered<'MeterId'>
export type CouponId = Registered<'CouponId'>
export type EnterpriseTemplate = Registered<'EnterpriseTemplate'>
export type EnterpriseId = Registered<'EnterpriseId'>
