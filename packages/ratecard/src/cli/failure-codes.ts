// Failure codes of the CLI itself, in addition to those of the service. Used by `ratecard explain` and by the type checker.
import type { ProblemCode } from '../errors/codes.ts'
import type { IssueCode } from '../errors/codes.ts'

/** Code → cause and remedy, in one or two sentences. */
export const failureCodes = {
  usage:
    'The words of the command line were not understood. `ratecard help` lists the commands, `--help` explains one.',
  declined: 'Somebody was asked and did not agree. Nothing was changed.',
  confirmation_required:
    'What cannot be taken back was asked for where nobody can be asked (no terminal, or `--json`): say `--yes`, or apply a saved plan with `--plan`.',
  environment_incomplete:
    'A command was given `--env NAME`, and neither ratecard/environments/.env.NAME nor the shell has RATECARD_API_URL; lines that are still placeholders of `init` count as absent. Or variables of an environment’s file would go to a server that is not the one of this environment. Write address and key of the environment into its file, and name it with `--env`.',
  environment_conflict:
    'Address and key would come from places that speak of two servers: the key is sent to no other server than the one that its file names.',
  environments_equal:
    'A promotion was asked for from a server to itself. Write the address of each environment into its file.',
  file_not_found:
    'A file or folder that was named, or that a project needs, is not there. `ratecard init` makes a project.',
  file_exists: 'A file would be overwritten. Choose another name, or say `--yes`.',
  file_error: 'A file could not be read or written: see the rights, the disk and the name.',
  file_unfit: 'A file is none that can be read here: too large, no text, or something other than a file.',
  address_in_use: 'Another program listens on that port. Stop it, or choose another one with `--port`.',
  plan_file_invalid:
    'The file holds no plan of this version, or its document was changed after it was planned. Make it again with `--plan-out`.',
  plan_elsewhere: 'A saved plan is applied only at the server and for the environment that it was made for.',
  checksum_mismatch:
    'A revision has another checksum than its document. Nothing more should be pushed before that is understood.',
  server_unreachable: 'No server answers at the address. Start one with `ratecard server start`, or say where it is.',
  request_timeout: 'The server did not answer in time; what was asked for may have been done.',
  answer_invalid: 'The server answered what makes no sense: is it a Ratecard server of about this version?',
  live_key_refused:
    'A check that makes and deletes things at the processor was given a live key. Give it one that begins with sk_test_ or rk_test_.',
  sandbox_refused: 'The sandbox processor refused what was asked of it.',
  secret_unknown:
    'The signing secret of an endpoint that was adopted or made elsewhere is not known: the processor shows it once.',
  webhook_not_found: 'No webhook of the configuration has that id.',
  update_refused: 'What is live cannot be written into the files: the message says which values, and why.',
  time_invalid: 'A time is not written as it should be, or has passed.',
  duration_invalid: 'A length of time is not written as it should be: `30s`, `10m`, `2h`, `90d`.',
  setting_missing: 'A setting that the command needs is not in the environment.',
  worker_invalid: 'Manifest, schedules, variables or sources of a worker have mistakes; each is shown at its place.',
  worker_manifest: 'A key of wrangler.toml is wrong, unknown or misplaced.',
  worker_environment: 'A line of an environment file is wrong, or a variable that the manifest requires is missing.',
  worker_bundle: 'The sources of a worker could not be joined into one module.',
  cloudflare_client_missing: 'A deployment to Cloudflare needs the package `cloudflare`: `npm install cloudflare`.',
  cloudflare_refused: 'Cloudflare refused an upload; its own words are in the message.',
  cloudflare_unreachable: 'Cloudflare did not answer. Nothing is half done there: run it again.',
  request_aborted: 'The call was stopped before it was answered.',
  job_running: 'The job runs still. `ratecard jobs show` says how far it is.',
  job_failed: 'The job ended before all of it was done; the steps say why. `ratecard jobs resume` does what is left.',
  job_interrupted: 'The job stopped before its end. `ratecard jobs resume` goes on; what is done is not done again.',
  job_cancelled: 'Somebody stopped the job. What was done stays done.',
  job_waiting: 'Steps of the job failed while others wait for their date. `ratecard jobs resume` tries them again.',
  code_unknown: '`ratecard explain` was asked about a code that this version does not know.',
} as const satisfies Readonly<Record<string, string>>

export type FailureCode = ProblemCode | IssueCode | keyof typeof failureCodes
