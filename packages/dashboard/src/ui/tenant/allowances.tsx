// What a user allows a push to do beyond what it does by itself, and the buttons that allow it. The service names these options in its hints
// ("push with --force"), and `page-words.ts` replaces them by the names of the buttons.
import type { Issue, RatecardError } from '@ratecard/client'

export interface Allowances {
  /** Overwrites fields that were edited at the processor. */
  readonly force: boolean
  readonly approveImpact: boolean
}

export const careful: Allowances = { force: false, approveImpact: false }

/** Label of the act that approves the impact, also in the confirmation of a plan that was refused without it. */
export const approveAndPlanAgain = 'Approve impact and plan again'

export const needsApproval = (error: RatecardError | null) => error?.code === 'impact_not_approved'

/** True if the error or one of its issues names the option in its hint, e.g. `--force`. */
export const hintsAt = (error: RatecardError, option: string) =>
  [error, ...error.errors].some(({ hint }) => hint?.includes(option))

interface AllowanceButtonsProps {
  /** Hints beside the buttons. A button appears if a hint names its option, unless it is allowed already. */
  readonly of: readonly (Pick<Issue, 'hint'> | RatecardError)[]
  readonly allowed: Allowances
  readonly onAllow: (allowed: Allowances) => void
}

/** Buttons that allow what the given warnings or errors ask for, and plan again. */
export function AllowanceButtons({ of, allowed, onAllow }: AllowanceButtonsProps) {
  const isNamed = (option: string) => of.some(({ hint }) => hint?.includes(option))
  const canForce = !allowed.force && isNamed('--force')
  const canApprove = !allowed.approveImpact && isNamed('--approve-impact')
  return (
    <>
      {canForce ? (
        <button type="button" className="button" onClick={() => onAllow({ ...allowed, force: true })}>
          Plan to overwrite these edits
        </button>
      ) : null}
      {canApprove ? (
        <button type="button" className="button" onClick={() => onAllow({ ...allowed, approveImpact: true })}>
          {approveAndPlanAgain}
        </button>
      ) : null}
    </>
  )
}

/** Notes in the confirmation of a plan: what it does because the user allowed it. */
export const AllowedNotes = ({ of: { force, approveImpact } }: { readonly of: Allowances }) => (
  <>
    {force ? (
      <div className="alert alert-warning">
        <p>Edits that were made at the processor are overwritten.</p>
      </div>
    ) : null}
    {approveImpact ? (
      <div className="alert alert-warning">
        <p>The impact on live subscriptions is approved.</p>
      </div>
    ) : null}
  </>
)
