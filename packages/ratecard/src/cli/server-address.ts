import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createClient, type Client } from '@ratecard/client'
import type { CommandContext, EnvironmentName, GlobalOptions } from './program/command.ts'
import { debugFetch } from './debug-fetch.ts'
import { CliFailure, toFailure, usageFailure } from './failure.ts'
import type { CliIo } from './terminal/io.ts'
import { isDefaultOfInit } from '../workers/project/env-files.ts'
import { environmentFile, environmentIncomplete, findProject, lookUp, readEnvironment } from './files/project.ts'
import type { Environment } from './files/project.ts'

/** Returns the address of the local server, at the port in `RATECARD_PORT` (default 4242). `server start` uses the same variable. */
export function defaultApiUrl({ env }: Pick<CliIo, 'env'>): string {
  const port = env['RATECARD_PORT'] ?? ''
  return `http://127.0.0.1:${port === '' ? '4242' : port}`
}

export interface ServerAddress {
  readonly url: string
  readonly key: string | null
  readonly environment: Environment
}

export interface ServerConnection extends ServerAddress {
  readonly client: Client
}

/**
 * Returns address and key of the server. They come from flags, the process environment, the environment file, or the local server. Throws
 * `environment_conflict` if address and key come from sources that name different servers. Throws `environment_incomplete` if the key of
 * the environment file would be sent to a server that is not known to belong to that environment.
 */
export function serverAddress(context: Pick<CommandContext, 'io' | 'global'>): ServerAddress {
  const { io, global } = context
  const project = findProject(io.cwd)
  const where = whereOf(context, project)
  const { url, environment } = where
  requireOneServer(io, global, environment, url)
  if (usesKeyOfFile(io, global, environment)) requireOwnServer(io, global, where, ['RATECARD_SERVICE_KEY'])
  const key = global.serviceKey ?? lookUp(io, environment, 'RATECARD_SERVICE_KEY') ?? localKey(io, project, url)
  return { url, key, environment }
}

/** Returns only the server address, for requests without a key. */
export function serverUrl({ io, global }: Pick<CommandContext, 'io' | 'global'>): string {
  const environment = readEnvironment(findProject(io.cwd), global)
  return addressOf(global.apiUrl ?? lookUp(io, environment, 'RATECARD_API_URL') ?? defaultApiUrl(io))
}

interface Where {
  readonly url: string
  readonly environment: Environment
}

/**
 * Finds the server address. The local server is the default only without `--env`, because a named environment without an address must not
 * use the server on this machine.
 */
function whereOf({ io, global }: Pick<CommandContext, 'io' | 'global'>, project: string | null): Where {
  const environment = readEnvironment(project, global)
  const named = global.apiUrl ?? lookUp(io, environment, 'RATECARD_API_URL')
  if (named === null && global.environment !== null) throw environmentIncomplete(project, environment)
  return { url: addressOf(named ?? defaultApiUrl(io)), environment }
}

/**
 * Throws before anything is sent if variables of the environment file would go to a server of another environment, e.g. a webhook URL of
 * `.env.dev` to production. `names` are the variables that come from the file. A variable with the default value that `init` wrote is
 * exempt for servers on this machine, because the default is an address of this machine. A server whose address does not show that it is
 * that of the file is asked for its environment.
 */
export async function requireServerOf(
  context: Pick<CommandContext, 'io' | 'global'>,
  client: Client,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return
  const { io, global } = context
  const where = whereOf(context, findProject(io.cwd))
  const isLocal = URL.canParse(where.url) && isLoopback(new URL(where.url).hostname)
  const own = isLocal ? names.filter((name) => !isDefaultOfInit(name, where.environment.variables.get(name))) : names
  if (own.length === 0 || isServerOf(io, global, where)) return
  // A file that names a server belongs to that server alone, whatever another one calls itself.
  const isNamed = (where.environment.variables.get('RATECARD_API_URL') ?? '') !== ''
  const asked = isNamed
    ? null
    : await client.admin.account({ signal: io.signal }).catch((error: unknown) => {
        throw toFailure(error, { apiUrl: where.url })
      })
  const environment = asked?.environment ?? null
  if (environment !== where.environment.name) throw foreignServer(global, where, own, defaultApiUrl(io), environment)
}

function requireOwnServer(io: CliIo, global: GlobalOptions, where: Where, names: readonly string[]): void {
  if (!isServerOf(io, global, where)) throw foreignServer(global, where, names, defaultApiUrl(io), null)
}

/**
 * True if the address belongs to the environment. If the environment file names a server, only the address of that server does. If it names
 * none, any address belongs to the environment of `--env`, because the user's shell is then set up for it. Without `--env` the environment
 * is `dev`, and only the default server of this machine belongs to it.
 */
function isServerOf(io: CliIo, global: GlobalOptions, { url, environment }: Where): boolean {
  const named = environment.variables.get('RATECARD_API_URL') ?? ''
  if (named !== '') return sameServer(named, url)
  return global.environment !== null || sameServer(defaultApiUrl(io), url)
}

function foreignServer(
  { apiUrl, environment: asked }: GlobalOptions,
  { url, environment: { name, file, variables } }: Where,
  names: readonly string[],
  ownUrl: string,
  theirs: string | null,
): CliFailure {
  const origin = apiUrl === null ? 'RATECARD_API_URL in the shell' : '--api-url'
  const place = file ?? environmentFile(name)
  const named = variables.get('RATECARD_API_URL') ?? ''
  const own = named === '' ? `${place} names no server, so its own is ${ownUrl}` : `the server of ${place} is ${named}`
  const list = names.join(', ')
  const ways = [
    `If ${url} is the server of ${name}, write RATECARD_API_URL into ${place}${asked === null && named === '' ? ` or add --env ${name}` : ''}.`,
    'If it is that of another environment, name that one with --env.',
  ]
  return new CliFailure(1, {
    code: 'environment_incomplete',
    title: 'Variables of one environment would go to the server of another',
    detail: `${origin} is ${url}${theirs === null ? '' : `, which is the server of ${theirs}`}, and ${own}. That file sets: ${list}. Nothing was sent.`,
    hint: ways.join(' '),
  })
}

/** Throws if `--env` names an environment without an address. Called before anything is read or sent. */
export function requireAddress(context: Pick<CommandContext, 'io' | 'global'>): void {
  if (context.global.environment !== null) whereOf(context, findProject(context.io.cwd))
}

/**
 * Throws `environment_conflict` if the key comes from the environment file and the address does not. Shell variables override the file, but
 * a key from the file must not be sent to a server other than the one in the file.
 */
function requireOneServer(io: CliIo, global: GlobalOptions, { file, variables }: Environment, url: string): void {
  const named = variables.get('RATECARD_API_URL') ?? ''
  if (file === null || named === '' || sameServer(named, url)) return
  const ofShell = global.apiUrl === null
  if (!usesKeyOfFile(io, global, { variables })) return
  const where = ofShell ? 'RATECARD_API_URL in the shell' : '--api-url'
  throw new CliFailure(1, {
    code: 'environment_conflict',
    title: 'Two servers are named',
    detail: [
      `${where} is ${url}, and RATECARD_API_URL in ${file} is ${named}.`,
      'The key (RATECARD_SERVICE_KEY) comes from the file, so it is not sent to another address.',
      'Nothing was sent.',
    ].join(' '),
    hint: ofShell
      ? `For the server of the file: \`unset RATECARD_API_URL\`. For the other server: set its RATECARD_SERVICE_KEY in the shell too.`
      : 'Leave out --api-url, or give the key of that server: --service-key or RATECARD_SERVICE_KEY.',
  })
}

function usesKeyOfFile(io: CliIo, global: GlobalOptions, { variables }: Pick<Environment, 'variables'>): boolean {
  const inShell = io.env['RATECARD_SERVICE_KEY'] ?? ''
  return global.serviceKey === null && inShell === '' && (variables.get('RATECARD_SERVICE_KEY') ?? '') !== ''
}

/** True if two addresses name the same server. All loopback hosts (e.g. `localhost`, `127.0.0.1`) count as one. */
export function sameServer(one: string, other: string): boolean {
  const plain = (text: string) => {
    if (!URL.canParse(text)) return text
    const url = new URL(text)
    if (isLoopback(url.hostname)) url.hostname = 'localhost'
    return url.href.replace(/\/+$/, '')
  }
  return plain(one) === plain(other)
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

export function connect(context: Pick<CommandContext, 'io' | 'global'>): ServerConnection {
  return connectTo(context, serverAddress(context))
}

/**
 * Connects to the server of an environment. Uses only the environment's file: if a command uses two environments, a variable of the process
 * would apply to both.
 */
export function connectEnvironment(
  context: Pick<CommandContext, 'io' | 'global'>,
  name: EnvironmentName,
): ServerConnection {
  const { io, global } = context
  const project = findProject(io.cwd)
  const environment = readEnvironment(project, { ...global, environment: name })
  const given = environment.variables.get('RATECARD_API_URL') ?? ''
  if (given === '') throw environmentIncomplete(project, environment)
  const url = addressOf(given)
  const key = environment.variables.get('RATECARD_SERVICE_KEY') ?? ''
  return connectTo(context, { url, key: key === '' ? localKey(io, project, url) : key, environment })
}

function connectTo({ io, global }: Pick<CommandContext, 'io' | 'global'>, address: ServerAddress): ServerConnection {
  return {
    ...address,
    client: createClient({
      baseUrl: address.url,
      ...(address.key === null ? {} : { serviceKey: address.key }),
      ...(global.debug ? { fetch: debugFetch(io, fetch) } : {}),
    }),
  }
}

function addressOf(text: string): string {
  const url = text.replace(/\/+$/, '')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw usageFailure(`"${url}" is not the address of a server.`, `Write it like ${defaultApiUrl({ env: {} })}.`)
  return url
}

/**
 * Returns the key that a local server wrote to disk; null if there is none. Only for loopback addresses, so that the key is never sent to
 * another machine.
 */
function localKey(io: CliIo, project: string | null, url: string): string | null {
  const { hostname, port } = new URL(url)
  if (!isLoopback(hostname)) return null
  const file = serviceKeyFiles({ env: io.env, home: io.home, cwd: io.cwd, project, port }).find((name) =>
    existsSync(name),
  )
  if (file === undefined) return null
  const key = readFileSync(file, 'utf8').trim()
  return key === '' ? null : key
}

/**
 * Returns the possible paths of the service-key file, in order of precedence. The path in the home folder contains the port, to separate
 * two local servers.
 */
export function serviceKeyFiles(place: {
  readonly env: NodeJS.ProcessEnv
  readonly home: string
  readonly cwd: string
  readonly project: string | null
  readonly port: string
}): string[] {
  const dataDir = place.env['RATECARD_DATA_DIR']
  const folders = [
    ...(dataDir === undefined || dataDir === '' ? [] : [path.resolve(place.cwd, dataDir)]),
    path.join(place.home, '.ratecard', 'servers', place.port === '' ? '80' : place.port),
    path.join(place.cwd, '.ratecard'),
    ...(place.project === null ? [] : [path.join(place.project, '.ratecard')]),
  ]
  return folders.map((folder) => path.join(folder, 'service-key'))
}
