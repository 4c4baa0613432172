import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import type { Client } from '@ratecard/client'
import type { CommandContext, EnvironmentName } from './command.ts'
import { CliFailure, usageFailure } from './failure.ts'
import type { CliIo } from './io.ts'
import { findProject, lookUp, readEnvironment } from './project.ts'
import type { Environment } from './project.ts'

export const defaultApiUrl = 'http://127.0.0.1:4242'

export interface ServerAddress {
  readonly url: string
  readonly key: string | null
  readonly environment: Environment
}

export interface Connection extends ServerAddress {
  readonly client: Client
}

/** Where the server is and which key it takes: flags, process environment, environment file, then this machine's own server. */
export function serverAddress({ io, global }: Pick<CommandContext, 'io' | 'global'>): ServerAddress {
  const project = findProject(io.cwd)
  const environment = readEnvironment(project, global)
  const url = addressOf(global.apiUrl ?? lookUp(io, environment, 'RATECARD_API_URL') ?? defaultApiUrl)
  const key = global.serviceKey ?? lookUp(io, environment, 'RATECARD_SERVICE_KEY') ?? localKey(io, project, url)
  return { url, key, environment }
}

export function connect(context: Pick<CommandContext, 'io' | 'global'>): Connection {
  return connectTo(serverAddress(context))
}

/**
 * The server of one environment by its file alone: where two environments are spoken to at once, a variable of the process
 * would mean the same server twice.
 */
export function connectEnvironment(
  { io, global }: Pick<CommandContext, 'io' | 'global'>,
  name: EnvironmentName,
): Connection {
  const project = findProject(io.cwd)
  const environment = readEnvironment(project, { ...global, environment: name })
  const given = environment.variables.get('RATECARD_API_URL') ?? ''
  if (given === '')
    throw new CliFailure(1, {
      code: 'environment_incomplete',
      title: 'The address of an environment is missing',
      detail: `ratecard/environments/.env.${name} does not say RATECARD_API_URL.`,
      hint: 'Write the address and RATECARD_SERVICE_KEY of each environment into its file.',
    })
  const url = addressOf(given)
  const key = environment.variables.get('RATECARD_SERVICE_KEY') ?? ''
  return connectTo({ url, key: key === '' ? localKey(io, project, url) : key, environment })
}

function connectTo(address: ServerAddress): Connection {
  return {
    ...address,
    client: createClient({ baseUrl: address.url, ...(address.key === null ? {} : { serviceKey: address.key }) }),
  }
}

function addressOf(text: string): string {
  const url = text.replace(/\/+$/, '')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw usageFailure(`"${url}" is not an address of a server.`, `Write it like ${defaultApiUrl}.`)
  return url
}

/** The key that a server on this machine wrote. Only for loopback addresses: it must never travel to another machine. */
function localKey(io: CliIo, project: string | null, url: string): string | null {
  const { hostname, port } = new URL(url)
  if (!/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) return null
  const file = serviceKeyFiles({ env: io.env, home: io.home, cwd: io.cwd, project, port }).find((name) =>
    existsSync(name),
  )
  if (file === undefined) return null
  const key = readFileSync(file, 'utf8').trim()
  return key === '' ? null : key
}

/** Places of the key file in the order they are tried. The one in the home folder names the port, so that two servers do not mix. */
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
