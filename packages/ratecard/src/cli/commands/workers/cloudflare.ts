import { CloudflareError, deployToCloudflare, type CloudflareDeployment } from '../../../workers/cloudflare/deploy.ts'
import {
  maskedMetadata,
  notCarriedOver,
  schedulesRequest,
  uploadRequest,
} from '../../../workers/cloudflare/requests.ts'
import type { CommandContext, EnvironmentName } from '../../program/command.ts'
import { CliFailure } from '../../failure.ts'
import { parseEnvFile } from '../../../workers/project/env-files.ts'
import type { BundledWorker } from './project.ts'

interface EnvironmentText {
  readonly name: EnvironmentName
  readonly text: string | null
}

/** Uploads each worker. With `--dry-run` it prints the requests instead, with all secrets masked. */
export async function deployAllToCloudflare(
  context: CommandContext,
  workers: readonly BundledWorker[],
  environment: EnvironmentText,
): Promise<Readonly<Record<string, unknown>>> {
  const { out, options, io } = context
  for (const { manifest } of workers)
    for (const what of notCarriedOver(manifest)) out.note(`${manifest.name}: not carried over to Cloudflare: ${what}\n`)
  const setting = (name: string) => settingOf(context, environment, name)
  if (options.flag('dryRun')) return showRequests(context, workers, setting('CLOUDFLARE_ACCOUNT_ID') ?? 'ACCOUNT_ID')
  const access = {
    accountId: requireSetting(
      setting('CLOUDFLARE_ACCOUNT_ID'),
      'CLOUDFLARE_ACCOUNT_ID',
      'The account’s id is in its dashboard.',
    ),
    apiToken: requireSetting(
      setting('CLOUDFLARE_API_TOKEN'),
      'CLOUDFLARE_API_TOKEN',
      'Make a token with the permission "Workers Scripts: Edit".',
    ),
    ...(io.env['CLOUDFLARE_BASE_URL'] ? { baseUrl: io.env['CLOUDFLARE_BASE_URL'] } : {}),
  }
  const deployed: CloudflareDeployment[] = []
  for (const { manifest, bundle, variables } of workers) {
    out.progress(`${manifest.name}: uploading to Cloudflare`)
    const worker = { manifest, bundle, secrets: variables }
    const answer = await deployToCloudflare(worker, access).catch((error: unknown) => {
      throw failureOf(error, manifest.name)
    })
    out.endProgress()
    deployed.push(answer)
    out.say(`${out.paint.green('✓')} ${out.paint.bold(answer.name)} is on Cloudflare`)
    out.say(`  schedules there: ${answer.crons.length === 0 ? 'none' : answer.crons.join(' · ')}`)
    out.say(`  secrets: ${[...variables.keys()].join(', ') || 'none'}\n`)
  }
  return { target: 'cloudflare', workers: deployed }
}

function showRequests({ out }: CommandContext, workers: readonly BundledWorker[], accountId: string) {
  const requests = workers.flatMap(({ manifest, bundle, variables }) => {
    const upload = uploadRequest(accountId, { manifest, bundle, secrets: variables })
    const schedules = schedulesRequest(accountId, manifest)
    const modules = upload.modules.map(({ name, contentType, content }) => ({
      name,
      content_type: contentType,
      size_bytes: Buffer.byteLength(content),
    }))
    return [
      { method: 'PUT', path: upload.path, multipart: { metadata: maskedMetadata(upload.metadata), modules } },
      { method: 'PUT', path: schedules.path, json: schedules.body },
    ]
  })
  for (const { method, path, ...body } of requests)
    out.print(`${out.paint.bold(`${method} ${path}`)}\n${JSON.stringify(body, null, 2)}\n`)
  return { target: 'cloudflare', dry_run: true, requests }
}

/**
 * Returns a setting from the process environment, otherwise from the environment file; null if it is in neither. Settings are never passed
 * to a worker.
 */
function settingOf({ io }: CommandContext, environment: EnvironmentText, name: string): string | null {
  return io.env[name] || parseEnvFile(environment.text ?? '').get(name) || null
}

function requireSetting(value: string | null, name: string, hint: string): string {
  if (value !== null) return value
  throw new CliFailure(1, {
    code: 'setting_missing',
    title: 'A setting is missing',
    detail: `--target cloudflare needs ${name} in the environment.`,
    hint: `${hint} --dry-run shows the requests without it.`,
  })
}

function failureOf(error: unknown, name: string): unknown {
  if (!(error instanceof CloudflareError)) return error
  const refused = error.problem === 'refused'
  const after =
    error.step === 'schedules'
      ? ` The code of "${name}" is uploaded and serves; its schedules there did not change.`
      : ' Nothing was changed.'
  return new CliFailure(refused && (error.status ?? 500) < 500 ? 1 : 70, {
    code: refused ? 'cloudflare_refused' : 'cloudflare_unreachable',
    title: refused ? 'Cloudflare refused the request' : 'Cloudflare could not be reached',
    detail: `${name}: ${error.message}${after}`,
    hint:
      error.status === 401 || error.status === 403
        ? 'Check CLOUDFLARE_ACCOUNT_ID and the permissions of CLOUDFLARE_API_TOKEN.'
        : 'Run the same command again: it is safe to repeat.',
    ...(error.status === null ? {} : { extra: { step: error.step } }),
  })
}
