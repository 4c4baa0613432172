// A plan saved as a file, to be reviewed and applied later. Exactly this plan is applied, or nothing.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { PushOutcome } from '@ratecard/client'
import { environmentPattern, type EnvironmentName } from '../program/command.ts'
import { CliFailure } from '../failure.ts'
import { readText } from './read-text.ts'
import { jsonOutcome } from '../views/text/json.ts'

const format = 'ratecard-plan/1'

export interface SavedPlan {
  readonly createdAt: string
  /** Address of the server that computed the plan. The plan can be applied only there. */
  readonly apiUrl: string
  readonly environment: EnvironmentName | null
  /** Fingerprint of the plan, computed by the server. It stays equal as long as the plan would have the same effect. */
  readonly plan: string
  readonly force: boolean
  readonly approveImpact: boolean
  /** The validated document, with expanded variables. */
  readonly document: object
  /** The document with unexpanded variables (the source document); null if a file could not be read. */
  readonly written: object | null
}

/** Writes the plan to a file that only its owner can read, because expanded variables may be secrets. */
export function writePlan(
  file: string,
  saved: SavedPlan,
  planned: PushOutcome,
  options: { readonly overwrite: boolean },
): void {
  if (existsSync(file) && !options.overwrite)
    throw new CliFailure(1, {
      code: 'file_exists',
      title: 'The file exists',
      detail: `${file} exists already.`,
      hint: 'Choose another name, or overwrite it with --yes.',
    })
  const { status: _status, push_id: _pushId, ...outcome } = jsonOutcome(planned)
  const content = {
    format,
    created_at: saved.createdAt,
    api_url: saved.apiUrl,
    environment: saved.environment,
    ...outcome,
    force: saved.force,
    approve_impact: saved.approveImpact,
    sha256: sha256(saved.document),
    document: saved.document,
    ...(saved.written === null ? {} : { written: saved.written }),
  }
  mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}.tmp`
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(draft, file)
}

/** Reads a saved plan. Throws `plan_file_invalid` if the file is not a plan of this format, or if its document was modified. */
export function readPlan(file: string): SavedPlan {
  const content = parse(readText(file))
  if (content['format'] !== format) throw planFileInvalid(file, `It is not a plan of this version (${format}).`)
  const { created_at: createdAt, api_url: apiUrl, environment = null, plan, document } = content
  if (typeof createdAt !== 'string' || typeof apiUrl !== 'string' || typeof plan !== 'string' || !isObject(document))
    throw planFileInvalid(file, 'Members are missing.')
  if (environment !== null && !(typeof environment === 'string' && environmentPattern.test(environment)))
    throw planFileInvalid(file, 'The name of its environment is not valid.')
  if (content['sha256'] !== sha256(document))
    throw planFileInvalid(file, 'Its document was changed after it was planned.')
  return {
    createdAt,
    apiUrl,
    environment,
    plan,
    force: content['force'] === true,
    approveImpact: content['approve_impact'] === true,
    document,
    written: isObject(content['written']) ? content['written'] : null,
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sha256(document: object): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('hex')
}

function planFileInvalid(file: string, why: string): CliFailure {
  return new CliFailure(1, {
    code: 'plan_file_invalid',
    title: 'The file contains no plan that can be applied',
    detail: `${file}: ${why}`,
    hint: 'Make one with `ratecard billing push --plan-out FILE`.',
  })
}
