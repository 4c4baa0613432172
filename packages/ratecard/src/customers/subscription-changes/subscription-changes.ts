import { ServiceError } from '../../base/errors/service-error.ts'
import { cancelOwnSubscription, pauseSubscription, resumeSubscription } from './acts.ts'
import { changeSubscription, previewChange } from './change.ts'
import type { ChangeDeps } from './deps.ts'
import type { CustomerAct } from '../../api/server/limits.ts'
import type { Principal } from '../../api/customers/sessions.ts'

function assertAllowed({ customersMay }: ChangeDeps, { kind }: Principal, act: CustomerAct): void {
  if (kind === 'key' || customersMay.includes(act)) return
  throw new ServiceError('not_allowed', `Customers may not ${act} their subscriptions here.`, {
    hint: `RATECARD_CUSTOMERS_MAY does not contain "${act}"; a service key may do it.`,
  })
}

/** Returns the operation, refused to sessions unless `RATECARD_CUSTOMERS_MAY` contains the act. */
const allowedTo =
  <Wish, Rest extends readonly unknown[], Result>(
    act: CustomerAct,
    run: (deps: ChangeDeps, requestedChange: Wish, principal: Principal, ...rest: Rest) => Promise<Result>,
  ) =>
  async (deps: ChangeDeps, requestedChange: Wish, principal: Principal, ...rest: Rest): Promise<Result> => {
    assertAllowed(deps, principal, act)
    return run(deps, requestedChange, principal, ...rest)
  }

export const subscriptionChanges = {
  previewChange: allowedTo('change', previewChange),
  changeSubscription: allowedTo('change', changeSubscription),
  cancelOwnSubscription: allowedTo('cancel', cancelOwnSubscription),
  resumeSubscription: allowedTo('resume', resumeSubscription),
  pauseSubscription,
}
