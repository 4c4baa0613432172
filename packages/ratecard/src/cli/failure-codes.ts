// Codes of failures of the CLI itself. Failures of the service have their own codes. Used by `ratecard explain` and by the type checker.
import type { ProblemCode, IssueCode } from '../base/errors/codes.ts'

/** Table from failure code to cause and remedy, in one or two sentences. */
export const failureCodes = {
  usage: 'The command line was not understood. `ratecard help` lists the commands, `--help` explains one.',
  declined: 'You answered the confirmation with no. Nothing was changed.',
  confirmation_required:
    'The action cannot be undone and needs a confirmation, but the command cannot ask for it (no terminal, or `--json`). `reset`, and a push that archives every product, need it only at a live account. Pass `--yes`, or apply a saved plan with `--plan`.',
  environment_incomplete:
    'With `--env NAME`, neither ratecard/environments/.env.NAME nor the shell sets RATECARD_API_URL; placeholders left from `init` count as not set. Or the variables of an environment’s file would be sent to the server of another environment. Write the address and key of the environment into its file, and pass its name with `--env`.',
  environment_conflict:
    'The address and the key belong to different servers, e.g. one is from the shell and one from a file. A key is sent only to the server that its file names.',
  environments_equal:
    '`promote` was asked to copy a configuration from a server to itself. Write the address of each environment into its file (ratecard/environments/.env.<name>).',
  file_not_found:
    'A file or folder that was named, or that a project needs, does not exist. `ratecard init` creates a project.',
  file_exists: 'A file would be overwritten. Choose another name, or pass `--yes`.',
  file_error: 'A file could not be read or written. Check its permissions, the disk and the name.',
  file_unfit: 'A file cannot be used here: it is too large, is not text, or is something other than a file.',
  address_in_use: 'Another program listens on that port. Stop that program, or choose another port with `--port`.',
  plan_file_invalid:
    'The file is not a plan of this version, or its document was changed after planning. Create the plan again with `--plan-out`.',
  plan_elsewhere: 'A saved plan can be applied only at the server and in the environment that it was made for.',
  checksum_mismatch: 'The checksum of a revision does not match its document. Find the cause before you push again.',
  server_unreachable:
    'No server answers at the address. Start one with `ratecard server start`, or pass its address with `--api-url`.',
  request_timeout: 'The server did not answer in time. The request may have been carried out.',
  answer_invalid:
    'The response of the server is malformed. Check that the address is that of a Ratecard server of a similar version.',
  live_key_refused:
    'A check that creates and deletes objects at the processor got a live key. Use a key that begins with sk_test_ or rk_test_.',
  not_a_sandbox:
    'The command plays the customer with test cards, and the service or the page is not on a sandbox. Start a service without STRIPE_SECRET_KEY.',
  payment_declined:
    'A hosted page of the sandbox did not accept the payment, e.g. because of the card. The page stays open and can be paid again.',
  sandbox_refused: 'The sandbox processor rejected the request.',
  secret_unknown:
    'The signing secret of an endpoint that was adopted or created elsewhere is unknown: the processor shows it only once.',
  webhook_not_found: 'No webhook of the configuration has that id.',
  update_refused: 'Some live values cannot be written into the files; the message says which, and why.',
  time_invalid: 'A time has the wrong format, or has passed.',
  duration_invalid: 'A duration has the wrong format. Valid are for example `30s`, `10m`, `2h`, `90d`.',
  setting_missing: 'A setting that the command needs is not set in the environment.',
  worker_invalid:
    'The manifest, schedules, variables or sources of a worker have errors; each is shown with its place.',
  worker_types: 'A worker has a type error.',
  worker_manifest: 'A key of a worker’s manifest is wrong, unknown or misplaced.',
  worker_environment: 'A line of an environment file is wrong, or a variable that the manifest requires is missing.',
  worker_bundle: 'The source files of a worker could not be bundled.',
  cloudflare_refused: 'Cloudflare rejected an upload; the message contains its reason.',
  cloudflare_unreachable: 'Cloudflare did not answer. You can safely run the command again.',
  request_aborted: 'The request was cancelled before a response arrived.',
  job_running: 'The job is still running. `ratecard jobs show` shows its progress.',
  job_failed:
    'The job ended before all steps were done; the steps say why. `ratecard jobs resume` does the remaining steps.',
  job_interrupted:
    'The job stopped before its end. `ratecard jobs resume` continues it; completed steps are not repeated.',
  job_cancelled: 'The job was cancelled. Completed steps stay as they are.',
  job_waiting:
    'Steps of the job failed while others wait for their date. `ratecard jobs resume` retries the failed steps.',
  code_unknown: 'This version does not know the code that was passed to `ratecard explain`.',
} as const satisfies Readonly<Record<string, string>>

export type FailureCode = ProblemCode | IssueCode | keyof typeof failureCodes
