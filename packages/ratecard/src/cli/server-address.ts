import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import type { Client } from '@ratecard/client'
import type { CommandContext } from './command.ts'
import { usageFailure } from './failure.ts'
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
  const url = (global.apiUrl ?? lookUp(io, environment, 'RATECARD_API_URL') ?? defaultApiUrl).replace(/\/+$/, '')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw usageFailure(`"${url}" is not an address of a server.`, `Write it like ${defaultApiUrl}.`)
  const key = global.serviceKey ?? lookUp(io, environment, 'RATECARD_SERVICE_KEY') ?? localKey(io, project, url)
  return { url, key, environment }
}

export function connect(context: Pick<CommandContext, 'io' | 'global'>): Connection {
  const address = serverAddress(context)
  return {
    ...address,
    client: createClient({ baseUrl: address.url, ...(address.key === null ? {} : { serviceKey: address.key }) }),
  }
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
