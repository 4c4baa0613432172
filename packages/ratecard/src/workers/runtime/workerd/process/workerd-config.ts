// The configuration text of one workerd process. Pure: the same input gives the same bytes, and no value can leave its quotes.
import type { WorkerVersionSpec } from '../../worker-runtime.ts'

/** Names inside the private folder of a process; relative, because `embed` takes nothing else. */
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
} as const

/** The header in which the proxy tells the runtime the client's scheme; the runtime removes it. */
export const protoHeader = 'x-ratecard-proto'

/** Since this date the runtime offers the Node modules by itself, and naming a part of them only warns. */
const nodeByDefault = '2026-08-04'

/** A Cap'n Proto text literal; every byte outside printable ASCII is escaped. */
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

/** The configuration of a process that runs one worker; `folder` is absolute and holds sockets and embedded files. */
export function workerdConfig(spec: WorkerVersionSpec, folder: string): string {
  const socket = (name: string): string => capnpText(`unix:${folder}/${name}`)
  // Under the name "internet" the runtime would else make a network of its own, for which it wants certificates of the host.
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = [${capnpText(`--max-heap-size=${spec.limits.heapMb}`)}, "--max-semi-space-size=1"],
  services = [
    (name = "user", worker = .user),
    (name = "control", worker = .control),
    (name = "egress", worker = .egress),
    (name = "internet", external = (address = ${socket(fileNames.egress)}, http = (style = proxy))),
  ],
  sockets = [
    (name = "http", address = ${socket(fileNames.http)}, http = (forwardedProtoHeader = ${capnpText(protoHeader)}), service = "user"),
    (name = "control", address = ${socket(fileNames.control)}, http = (), service = "control"),
  ],
);

const user :Workerd.Worker = (
  modules = [
${modules(spec)}
  ],
  compatibilityDate = ${capnpText(spec.compatibilityDate)},
  compatibilityFlags = [${flags(spec).map(capnpText).join(', ')}],
  bindings = [
${bindings(spec)}
  ],
  globalOutbound = "egress",
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
`
}

/** Where the content of module number `index` of the bundle is written. */
export function moduleFile(index: number): string {
  return `m${index}`
}

function modules(spec: WorkerVersionSpec): string {
  const own = [moduleFiles.entry, moduleFiles.prelude, moduleFiles.user]
  const lines = own.map((name) => `    (name = ${capnpText(name)}, esModule = embed ${capnpText(name)}),`)
  spec.modules.forEach((module, index) => {
    const name = capnpText(module.name.replace(/^\.\//, ''))
    const kind = module.type === 'esm' ? 'esModule' : module.type
    lines.push(`    (name = ${name}, ${kind} = embed ${capnpText(moduleFile(index))}),`)
  })
  return lines.join('\n')
}

/** The wrapper needs AsyncLocalStorage; older dates do not have it without a flag. */
function flags(spec: WorkerVersionSpec): readonly string[] {
  const given = spec.compatibilityFlags
  const hasIt = given.some((flag) => ['nodejs_als', 'nodejs_compat', 'nodejs_compat_v2'].includes(flag))
  const byDate = spec.compatibilityDate >= nodeByDefault && !given.includes('no_nodejs_compat')
  return hasIt || byDate ? given : [...given, 'nodejs_als']
}

function bindings(spec: WorkerVersionSpec): string {
  return Object.entries(spec.vars)
    .map(([name, value]) => {
      const binding =
        typeof value === 'string' ? `text = ${capnpText(value)}` : `json = ${capnpText(JSON.stringify(value))}`
      return `    (name = ${capnpText(name)}, ${binding}),`
    })
    .join('\n')
}
