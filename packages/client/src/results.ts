// What calls take and answer, in camelCase: the shapes of the contract (wire.generated.ts), and the few that the client says in words
// of its own. Times are RFC 3339 in UTC, money is in minor units.
import type * as wire from './wire.generated.ts'

export type StepState = wire.PushStep['state']
export type Interval = NonNullable<wire.PriceDocument['interval']>

/** null is the open end of the last line. */
export interface CostLine extends Omit<wire.CostLine, 'upTo'> {
  upTo: number | null
}
/** Every member is there: null where the wire leaves one out. */
export interface Cost extends Omit<wire.Cost, 'tiersMode' | 'breakdown'> {
  tiersMode: 'graduated' | 'volume' | null
  breakdown: CostLine[]
}

type PullReport = Exclude<wire.Operations['pullConfig']['answers'][200], wire.BillingDocument>
/** `unrepresentable` is what the document cannot express; the wire says `unrepresented`. */
export interface Pulled extends Omit<PullReport, 'unrepresented'> {
  unrepresentable: PullReport['unrepresented']
}

/** An asynchronous push that was journalled, or the answer when there was nothing to wait for. */
export type StartedPush =
  { readonly started: true; readonly pushId: string } | { readonly started: false; readonly outcome: wire.PushOutcome }

export type PushEvent = ({ type: 'state' } & wire.PushStateEvent) | ({ type: 'step' } & wire.PushStepEvent)

/** A time: at the first renewal after it. */
export type NewMigration = Omit<wire.NewMigration, 'to'> & {
  readonly to?: 'renewal' | 'now' | (string & {}) | Date | undefined
}

/** The name stands in the call, author and message in its options. */
export type NewDeployment = Omit<wire.DeploymentBody, 'name' | 'author' | 'message'>
