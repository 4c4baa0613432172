// The image is built by buildah from the unchanged Dockerfile, and run by podman and crun as docs/operations/containers.md and compose.yaml
// describe. Only the two base images are created here, and containers have no network but loopback.
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { buildImage, makeBases, missingForContainers, openContainers, run } from '../support/programs/containers.ts'
import type { Containers } from '../support/programs/containers.ts'
import { announceSkip } from '../support/skips.ts'

const root = path.resolve(import.meta.dirname, '../..')
const bin = path.join(root, 'packages/ratecard/bin/ratecard.js')
const missing = missingForContainers()
if (missing.length > 0) announceSkip('container image', `not here: ${missing.join(', ')}`)

const [withWorkers, withoutWorkers] = ['localhost/ratecard:workers', 'localhost/ratecard:plain']
let containers: Containers

/** The settings that compose.yaml gives a replica, as flags of podman. */
const { services } = parse(readFileSync(path.join(root, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, { tmpfs: string[]; cap_drop: string[]; security_opt: string[]; read_only: boolean }>
}
const replica = services['ratecard-1'] ?? { tmpfs: [], cap_drop: [], security_opt: [], read_only: false }
const asComposed = [
  ...(replica.read_only ? ['--read-only'] : []),
  ...replica.tmpfs.flatMap((folder) => ['--tmpfs', folder]),
  ...replica.cap_drop.flatMap((capability) => ['--cap-drop', capability]),
  ...replica.security_opt.flatMap((option) => ['--security-opt', option.replace(/:true$/, '')]),
]
// In some environments root can neither raise limits nor use control groups.
const ofThisMachine = ['--ulimit', 'nofile=8192:8192', '--ulimit', 'nproc=4096:4096', '--cgroups', 'disabled']

/** Starts a container with a volume of the same name. Both are removed after the test. */
async function start(name: string, image: string, ...flags: readonly string[]) {
  onTestFinished(async () => {
    await containers.tryPodman('rm', '--force', '--time', '0', name)
  })
  const flat = [...ofThisMachine, '--network', 'none', ...asComposed, '--volume', `${name}:/data`, ...flags]
  await containers.podman('run', '--detach', '--name', name, ...flat, image)
}

/** Waits until the health check of the image succeeds. If the container ends, rejects with its output. */
async function healthy(name: string): Promise<void> {
  while ((await containers.tryPodman('healthcheck', 'run', name)).code !== 0) {
    const state = await containers.podman('inspect', name, '--format', '{{.State.Status}}')
    if (state === 'exited') throw new Error((await containers.tryPodman('logs', name)).text)
    await pause(100)
  }
}

/** Runs a program of this machine in the network of a container. */
async function beside(name: string, words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const pid = await containers.podman('inspect', name, '--format', '{{.State.Pid}}')
  return run('nsenter', [`--net=/proc/${pid}/ns/net`, ...words], env, path.join(containers.folder, 'shop'))
}

const inContainer = (name: string, ...words: readonly string[]) => containers.tryPodman('exec', name, ...words)

describe.runIf(missing.length === 0)('the container image', () => {
  beforeAll(async () => {
    containers = await openContainers()
    const [, suite = ''] =
      /^ARG RUNTIME_IMAGE=\S+\/debian:(\w+)-slim$/m.exec(readFileSync(path.join(root, 'Dockerfile'), 'utf8')) ?? []
    await makeBases(containers, suite)
    await buildImage(containers, root, withWorkers, {})
    await buildImage(containers, root, withoutWorkers, { WORKERS: 'off' })
  }, 600_000)
  afterAll(async () => {
    await containers.close()
  })

  test.each([
    [withWorkers, 250],
    [withoutWorkers, 120],
  ])('for %s is smaller than %s MB to download, including its base image', async (image, limit) => {
    const folder = path.join(containers.folder, `pushed-${String(limit)}`)
    await containers.buildah('push', '--quiet', image, `dir:${folder}`)
    const megabytes = readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0) / 1e6
    expect(megabytes).toBeLessThan(limit)
  })

  test('contains no compiler, no package manager of Node and no source code of a native module', async () => {
    for (const image of [withWorkers, withoutWorkers]) {
      const name = await containers.buildah('from', image)
      const mounted = await containers.buildah('mount', name)
      const files = await containers.inside('find', mounted, '-xdev', '-type', 'f,l', '-printf', '/%P\n')
      await containers.buildah('rm', name)
      const all = files.split('\n')
      expect(all).toContain('/app/node')
      expect(
        all.filter((file) =>
          /\/bin\/(?:\S+-)?(?:gcc|g\+\+|cc|c\+\+|clang|ld|as|make|python3?|npm)(?:-?[\d.]+)?$/.test(file),
        ),
      ).toEqual([])
      expect(all.filter((file) => file.startsWith('/app/') && /\.(?:c|cc|cpp|h|hpp|gyp|gypi|a|o)$/.test(file))).toEqual(
        [],
      )
      expect(all.some((file) => file.endsWith('/bin/workerd'))).toBe(image === withWorkers)
    }
  })

  test('declares its user, volume, port, health check and stop signal', async () => {
    const { Docker } = JSON.parse(await containers.buildah('inspect', '--type', 'image', withWorkers)) as {
      Docker: { config: object }
    }
    expect(Docker.config).toMatchObject({
      User: '10001:10001',
      Entrypoint: ['tini', '-s', '--', 'ratecard'],
      Cmd: ['server', 'start'],
      Volumes: { '/data': {} },
      ExposedPorts: { '4242/tcp': {} },
      StopSignal: 'SIGTERM',
      Healthcheck: { Test: ['CMD', 'node', '-e', expect.stringContaining('/healthz')] },
    })
  })

  test('accepts a push and runs a worker on a read-only file system, and stops on SIGTERM within ten seconds', async () => {
    const name = 'as-composed'
    await start(name, withWorkers)
    await healthy(name)
    expect((await inContainer(name, 'id', '-u')).stdout).toBe('10001')
    for (const file of ['/app/x', '/usr/x', '/x'])
      expect((await inContainer(name, 'touch', file)).text).toMatch(/Read-only/)

    const key = {
      RATECARD_SERVICE_KEY: (await inContainer(name, 'cat', '/data/service-key')).stdout,
      HOME: containers.folder,
    }
    await run(process.execPath, [bin, 'init', path.join(containers.folder, 'shop')], key)
    const cli = (...words: readonly string[]) => beside(name, [process.execPath, bin, ...words], key)
    expect(await cli('billing', 'push', '--yes')).toMatchObject({
      code: 0,
      text: expect.stringContaining('revision 1') as unknown,
    })
    const deployed = await cli('cloud', 'workers', 'deploy', '--yes')
    expect(deployed).toMatchObject({ code: 0 })
    const worker = /http:\S+\/workers\/\S+/.exec(deployed.text)?.[0] ?? ''
    const asked = () => beside(name, [process.execPath, '-e', `fetch('${worker}').then((r) => console.log(r.status))`])
    expect((await asked()).stdout).toBe('200')

    const doctor = await inContainer(name, 'ratecard', 'doctor')
    expect(doctor).toMatchObject({
      code: 0,
      text: expect.stringMatching(/workers .*Each worker runs in bubblewrap/) as unknown,
    })
    // The first process of the container collects the ended child processes of a worker.
    expect(await cli('cloud', 'workers', 'deploy', '--yes')).toMatchObject({ code: 0 })
    expect((await asked()).stdout).toBe('200')
    const states = await inContainer(name, 'sh', '-c', 'cat /proc/[0-9]*/stat')
    expect(states.stdout).toMatch(/workerd/)
    expect(states.stdout).not.toMatch(/\) Z /)

    // A container that does not stop within ten seconds is killed, with exit code 137.
    await containers.podman('stop', '--time', '10', name)
    expect(await containers.podman('inspect', name, '--format', '{{.State.ExitCode}}')).toBe('0')

    await containers.podman('start', name)
    await healthy(name)
    // The workers are read from the store after the port is open.
    await expect.poll(async () => (await asked()).stdout, { timeout: 30_000 }).toBe('200')
    expect((await cli('billing', 'history')).text).toMatch(/\b1\b/)
  })

  test('reports unconfined workers if the host has no namespaces, or runs no workers if confinement is required', async () => {
    // As Docker's default profile does: no namespaces without privileges.
    const refused = { action: 'SCMP_ACT_ERRNO', errnoRet: 1 }
    const profile = path.join(containers.folder, 'no-namespaces.json')
    const syscalls = [
      { names: ['unshare', 'setns', 'mount'], ...refused },
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
      {
        names: ['clone'],
        ...refused,
        args: [{ index: 0, value: 0x10000000, valueTwo: 0x10000000, op: 'SCMP_CMP_MASKED_EQ' }],
      },
    ]
    writeFileSync(
      profile,
      JSON.stringify({
        defaultAction: 'SCMP_ACT_ALLOW',
        architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
        syscalls,
      }),
    )
    const flags = ['--security-opt', `seccomp=${profile}`]
    await start('unconfined', withWorkers, ...flags)
    await healthy('unconfined')
    expect((await inContainer('unconfined', 'ratecard', 'doctor')).text).toMatch(
      /workers .*without a sandbox of their own/,
    )

    await start('confined', withWorkers, ...flags, '--env', 'RATECARD_WORKER_SANDBOX=bubblewrap')
    await healthy('confined')
    // The line about workers is printed after the port is open, so a healthy container may not have printed it yet.
    await vi.waitFor(
      async () => {
        const { text } = await containers.tryPodman('logs', 'confined')
        expect(text).toMatch(/Workers +not available: .*bubblewrap/)
      },
      { timeout: 30_000, interval: 250 },
    )
  })

  test('serves prices if workers are disabled, and `ratecard doctor` in it reports that workers are disabled', async () => {
    const name = 'plain'
    await start(name, withoutWorkers)
    await healthy(name)
    expect((await inContainer(name, 'ratecard', 'doctor')).text).toMatch(/workers/)
    await containers.podman('stop', '--time', '10', name)
    expect(await containers.podman('inspect', name, '--format', '{{.State.ExitCode}}')).toBe('0')
  })
})
