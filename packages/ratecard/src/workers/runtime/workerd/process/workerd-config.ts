// Generates the configuration of one workerd process. Pure: the same input gives the same bytes. All values are escaped.
import type { WorkerVersionSpec } from '../../worker-runtime.ts'

/** File names in the private folder of a process. They are relative, because `embed` in the configuration accepts only relative paths. */
export const fileNames = {
  config: 'c.capnp',
  http: 'h.sock',
  control: 'c.sock',
  egress: 'e.sock',
  filter: 'f.bpf',
} as const

export const moduleFiles = {
  entry: 'entry.js',
  prelude: 'prelude.js',
  user: 'worker.js',
  control: 'control.js',
  egress: 'egress.js',
  cache: 'cache.js',
} as const

/** Header in which the proxy passes the scheme of the client's URL (http or https) to workerd. workerd removes it. */
export const protoHeader = 'x-ratecard-proto'

/**
 * From this compatibility date on, workerd provides the Node modules by default, and warns about a flag for a part of them (`nodejs_als`).
 */
const nodeByDefault = '2026-08-04'

/** Returns a Cap'n Proto text literal. Escapes every byte outside printable ASCII. */
export function capnpText(value: string): string {
  let text = '"'
  for (const byte of Buffer.from(value, 'utf8')) {
    if (byte === 0x22) text += '\\"'
    else if (byte === 0x5c) text += '\\\\'
    else if (byte === 0x0a) text += '\\n'
    else if (byte >= 0x20 && byte < 0x7f) text += String.fromCharCode(byte)
    else text += `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `${text}"`
}

/** Returns the configuration of a process that runs one worker. `folder` is absolute and contains the sockets and the embedded files. */
export function workerdConfig(spec: WorkerVersionSpec, folder: string): string {
  const socket = (name: string): string => capnpText(`unix:${folder}/${name}`)
  // Defines the service "internet" explicitly. By default workerd would create one with direct network access, which also needs
  // certificates of the host.
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = [${capnpText(`--max-heap-size=${spec.limits.heapMb}`)}, "--max-semi-space-size=1"],
  services = [
    (name = "user", worker = .user),
    (name = "control", worker = .control),
    (name = "egress", worker = .egress),
    (name = "cache", worker = .cache),
    (name = "internet", external = (address = ${socket(fileNames.egress)}, http = (style = proxy))),
  ],
  sockets = [
    (name = "http", address = ${socket(fileNames.http)}, http = (forwardedProtoHeader = ${capnpText(protoHeader)}), service = "user"),
    (name = "control", address = ${socket(fileNames.control)}, http = (), service = "control"),
  ],
);

const user :Workerd.Worker = (
  modules = [
${modulesConfig(spec)}
  ],
  compatibilityDate = ${capnpText(spec.compatibilityDate)},
  compatibilityFlags = [${compatibilityFlagsOf(spec).map(capnpText).join(', ')}],
  bindings = [
${bindingsConfig(spec)}
  ],
  globalOutbound = "egress",
  cacheApiOutbound = "cache",
);

const control :Workerd.Worker = (
  modules = [ (name = "control.js", esModule = embed ${capnpText(moduleFiles.control)}) ],
  compatibilityDate = "2026-01-01",
  bindings = [ (name = "WORKER", service = (name = "user", entrypoint = "__Ctl")) ],
  globalOutbound = "egress",
);

const egress :Workerd.Worker = (
  modules = [ (name = "egress.js", esModule = embed ${capnpText(moduleFiles.egress)}) ],
  compatibilityDate = "2026-01-01",
  bindings = [ (name = "OUTSIDE", service = "internet") ],
  globalOutbound = "internet",
);

const cache :Workerd.Worker = (
  modules = [ (name = "cache.js", esModule = embed ${capnpText(moduleFiles.cache)}) ],
  compatibilityDate = "2026-01-01",
  globalOutbound = "egress",
);
`
}

/** Returns the file name for the module with number `index` in the bundle. */
export function moduleFile(index: number): string {
  return `m${index}`
}

function modulesConfig(spec: WorkerVersionSpec): string {
  const own = [moduleFiles.entry, moduleFiles.prelude, moduleFiles.user]
  const lines = own.map((name) => `    (name = ${capnpText(name)}, esModule = embed ${capnpText(name)}),`)
  spec.modules.forEach((module, index) => {
    const name = capnpText(module.name.replace(/^\.\//, ''))
    const kind = module.type === 'esm' ? 'esModule' : module.type
    lines.push(`    (name = ${name}, ${kind} = embed ${capnpText(moduleFile(index))}),`)
  })
  return lines.join('\n')
}

/**
 * Returns the compatibility flags of a worker. Adds the flag for AsyncLocalStorage if it is missing: the prelude module needs it, and older
 * compatibility dates do not include it.
 */
function compatibilityFlagsOf(spec: WorkerVersionSpec): readonly string[] {
  const given = spec.compatibilityFlags
  const hasIt = given.some((flag) => ['nodejs_als', 'nodejs_compat', 'nodejs_compat_v2'].includes(flag))
  const byDate = spec.compatibilityDate >= nodeByDefault && !given.includes('no_nodejs_compat')
  return hasIt || byDate ? given : [...given, 'nodejs_als']
}

function bindingsConfig(spec: WorkerVersionSpec): string {
  return Object.entries(spec.vars)
    .map(([name, value]) => {
      const binding =
        typeof value === 'string' ? `text = ${capnpText(value)}` : `json = ${capnpText(JSON.stringify(value))}`
      return `    (name = ${capnpText(name)}, ${binding}),`
    })
    .join('\n')
}
