// Parameters and results of calls, in camelCase. Most are generated from the API contract (wire.generated.ts); this file contains those
// that the client changes. Times are RFC 3339 in UTC, and amounts of money are in minor units (e.g. cents).
import type * as wire from './wire.generated.ts'

export type StepState = wire.PushStep['state']
export type Interval = NonNullable<wire.PriceDocument['interval']>

/** Upper bound of the line. null for the last line, which has no bound. */
export interface CostLine extends Omit<wire.CostLine, 'upTo'> {
  upTo: number | null
}
/** Cost of a quantity. Members that the API omits are null. */
export interface Cost extends Omit<wire.Cost, 'tiersMode' | 'breakdown'> {
  tiersMode: 'graduated' | 'volume' | null
  breakdown: CostLine[]
}

type PullReport = Exclude<wire.Operations['pullConfig']['answers'][200], wire.BillingDocument>
/** Report of a pull. `unrepresentable` lists objects that a document cannot express; the API calls the member `unrepresented`. */
export interface Pulled extends Omit<PullReport, 'unrepresented'> {
  unrepresentable: PullReport['unrepresented']
}

/** A push that is in the journal (`started: true`). If nothing had to be done in the background, it is the outcome of the push instead. */
export type StartedPush =
  { readonly started: true; readonly pushId: string } | { readonly started: false; readonly outcome: wire.PushOutcome }

export type PushEvent = ({ type: 'state' } & wire.PushStateEvent) | ({ type: 'step' } & wire.PushStepEvent)

/** Options of a migration of subscribers. If `to` is a time, subscribers are moved at their first renewal after that time. */
export type NewMigration = Omit<wire.NewMigration, 'to'> & {
  readonly to?: 'renewal' | 'now' | (string & {}) | Date | undefined
}

/** A deployment without its name, author and message: calls have the name as an argument, and author and message as options. */
export type NewDeployment = Omit<wire.DeploymentBody, 'name' | 'author' | 'message'>
