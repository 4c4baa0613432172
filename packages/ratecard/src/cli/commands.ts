import type { Command } from './command.ts'
import { billingDiff } from './commands/billing-diff.ts'
import { billingDrift } from './commands/billing-drift.ts'
import { billingHistory } from './commands/billing-history.ts'
import { billingPull } from './commands/billing-pull.ts'
import { billingPush } from './commands/billing-push.ts'
import { billingPushes } from './commands/billing-pushes.ts'
import { billingReset } from './commands/billing-reset.ts'
import { billingResume } from './commands/billing-resume.ts'
import { billingRollback } from './commands/billing-rollback.ts'
import { billingShow } from './commands/billing-show.ts'
import { billingTypes } from './commands/billing-types.ts'
import { billingValidate } from './commands/billing-validate.ts'
import { billingWebhookSecret } from './commands/billing-webhook-secret.ts'
import { doctor } from './commands/doctor.ts'
import { init } from './commands/init.ts'
import { keysCreate, keysList, keysRevoke } from './commands/keys.ts'
import { sandbox } from './commands/sandbox.ts'
import { serverStart } from './commands/server-start.ts'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  init,
  billingValidate,
  billingDiff,
  billingPush,
  billingPull,
  billingShow,
  billingHistory,
  billingRollback,
  billingDrift,
  billingPushes,
  billingResume,
  billingReset,
  billingTypes,
  billingWebhookSecret,
  keysCreate,
  keysList,
  keysRevoke,
  serverStart,
  sandbox,
  doctor,
]

/** What the words before the last one stand for, in the help. */
export const groups: Readonly<Record<string, string>> = {
  billing: 'The billing configuration: check, push, look back',
  'billing webhook': 'Webhook endpoints',
  keys: 'Service keys',
  server: 'The service itself',
}
