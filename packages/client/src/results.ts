// Parameters and results of calls in camelCase: the shapes of the contract (wire.generated.ts), and those that the client changes.
// Times are RFC 3339 in UTC, money is in minor units.
import type * as wire from './wire.generated.ts'

export type StepState = wire.PushStep['state']
export type Interval = NonNullable<wire.PriceDocument['interval']>

/** `upTo` is null for the last, open-ended line. */
export interface CostLine extends Omit<wire.CostLine, 'upTo'> {
  upTo: number | null
}
/** Members that the API omits are null. */
export interface Cost extends Omit<wire.Cost, 'tiersMode' | 'breakdown'> {
  tiersMode: 'graduated' | 'volume' | null
  breakdown: CostLine[]
}

type PullReport = Exclude<wire.Operations['pullConfig']['answers'][200], wire.BillingDocument>
/** `unrepresentable` lists objects that a document cannot express; the API calls it `unrepresented`. */
export interface Pulled extends Omit<PullReport, 'unrepresented'> {
  unrepresentable: PullReport['unrepresented']
}

/** A push that is in the journal (`started: true`), or the outcome if there was nothing to do in the background. */
export type StartedPush =
  { readonly started: true; readonly pushId: string } | { readonly started: false; readonly outcome: wire.PushOutcome }

export type PushEvent = ({ type: 'state' } & wire.PushStateEvent) | ({ type: 'step' } & wire.PushStepEvent)

/** `to` may be a time: subscribers are moved at their first renewal after it. */
export type NewMigration = Omit<wire.NewMigration, 'to'> & {
  readonly to?: 'renewal' | 'now' | (string & {}) | Date | undefined
}

/** A deployment without its name (an argument of the call) and without author and message (options of the call). */
export type NewDeployment = Omit<wire.DeploymentBody, 'name' | 'author' | 'message'>
