// Real images and containers (buildah, podman, mmdebstrap) in a separate storage and mount namespace. Nothing remains on the machine,
// and no image is downloaded. Needs root.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export interface Ran {
  readonly code: number
  readonly stdout: string
  /** stdout and stderr together. */
  readonly text: string
}

const found = (tool: string) =>
  (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => path.join(folder, tool))
    .find((file) => existsSync(file))

/** Names of the missing tools for building and running images. Empty if all are installed. */
export function missingForContainers(): string[] {
  const tools = ['buildah', 'podman', 'mmdebstrap', 'crun', 'nsenter', 'unshare', 'npm']
  const missing = tools.filter((tool) => found(tool) === undefined)
  return process.getuid?.() === 0 ? missing : ['root', ...missing]
}

export function run(tool: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 }
    const child = execFile(tool, args, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout: stdout.trim(), text: `${stdout}${stderr}` }),
    )
  })
}

async function must(ran: Promise<Ran>): Promise<string> {
  const { code, stdout, text } = await ran
  if (code !== 0) throw new Error(text.slice(-4000))
  return stdout
}

export interface Containers {
  /** Folder for the files of the test, removed by `close`. */
  readonly folder: string
  /** Resolves with the output; rejects if the command fails. */
  buildah(...args: readonly string[]): Promise<string>
  podman(...args: readonly string[]): Promise<string>
  /** Like `podman`, but also resolves if the command fails. */
  tryPodman(...args: readonly string[]): Promise<Ran>
  /** Runs any program in the mount namespace of the storage. */
  inside(...words: readonly string[]): Promise<string>
  close(): Promise<void>
}

export async function openContainers(): Promise<Containers> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-image-'))
  // Hides control groups v2, because crun refuses a machine with both versions.
  const hide =
    'if [ -d /sys/fs/cgroup/unified ]; then umount /sys/fs/cgroup/unified; fi; echo ready; exec sleep infinity'
  const holder = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', hide], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  const where = ['--mount', `--target=${String(holder.pid)}`, `--wdns=${folder}`]
  const enter = (tool: string, args: readonly string[]) => run('nsenter', [...where, tool, ...args])
  const place = (driver: string) => [
    ...['--root', path.join(folder, 'root'), '--runroot', path.join(folder, 'run'), '--storage-driver', driver],
  ]
  // If the overlay driver does not work here (e.g. on an overlay file system), uses vfs, which copies layers.
  const { code } = await enter('buildah', [...place('overlay'), 'info'])
  const storage = place(code === 0 ? 'overlay' : 'vfs')
  const tryPodman = (...args: readonly string[]) =>
    enter('podman', [...storage, '--tmpdir', path.join(folder, 'tmp'), '--events-backend', 'none', ...args])
  return {
    folder,
    buildah: (...args) => must(enter('buildah', [...storage, ...args])),
    podman: (...args) => must(tryPodman(...args)),
    tryPodman,
    inside: (tool = '', ...args) => must(enter(tool, args)),
    close: async () => {
      await tryPodman('rm', '--all', '--force', '--time', '0')
      const ended = once(holder, 'exit')
      holder.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const runtimeBase = 'localhost/debian-of-this-test'
export const buildBase = 'localhost/node-of-this-test'

/**
 * Makes both base images of the Dockerfile: a minimal Debian from Debian's packages, like its slim image; and the same with this
 * machine's Node and npm and its npm configuration.
 */
export async function makeBases({ buildah, inside }: Containers, suite: string): Promise<void> {
  const left = ['man', 'doc', 'locale', 'info'].map((kind) => `--dpkgopt=path-exclude=/usr/share/${kind}/*`)
  const patient = '--aptopt=Acquire::Retries "4"'
  const name = await buildah('from', 'scratch')
  await inside('mmdebstrap', '--quiet', '--variant=minbase', patient, ...left, suite, await buildah('mount', name))
  await buildah('commit', '--quiet', name, runtimeBase)

  const npm = path.resolve(realpathSync(found('npm') ?? ''), '../..')
  await buildah('copy', name, realpathSync(process.execPath), '/usr/local/bin/node')
  await buildah('copy', name, npm, '/usr/local/lib/node_modules/npm')
  await buildah(
    'run',
    '--isolation',
    'chroot',
    name,
    'ln',
    '-s',
    '../lib/node_modules/npm/bin/npm-cli.js',
    '/usr/local/bin/npm',
  )
  const { stdout: registry } = await run('npm', ['config', 'get', 'registry'])
  const settings = { registry, prefer_offline: 'true', fetch_timeout: '60000', fetch_retries: '4' }
  const asEnvironment = Object.entries(settings).flatMap(([key, value]) => ['--env', `npm_config_${key}=${value}`])
  await buildah('config', ...asEnvironment, name)
  const authorities = process.env['NODE_EXTRA_CA_CERTS']
  if (authorities !== undefined) {
    await buildah('copy', name, realpathSync(authorities), '/etc/authorities.crt')
    await buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/authorities.crt', name)
  }
  await buildah('commit', '--quiet', '--rm', name, buildBase)
}

/** Builds the Dockerfile of `context` on these base images. Packages in npm's cache are not downloaded again. */
export async function buildImage(
  { buildah }: Containers,
  context: string,
  image: string,
  args: Readonly<Record<string, string>>,
) {
  const all = { BUILD_IMAGE: buildBase, RUNTIME_IMAGE: runtimeBase, ...args }
  const { stdout: cache } = await run('npm', ['config', 'get', 'cache'])
  await buildah(
    ...['build', '--layers', '--format', 'docker', '--isolation', 'chroot', '--network', 'host', '--tag', image],
    ...(existsSync(cache) ? ['--volume', `${cache}:/root/.npm:O`] : []),
    ...Object.entries(all).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]),
    context,
  )
}
