// The deployment files: their content, and the real tools' checks of them if the tools are installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { drainMs } from '../../packages/ratecard/src/server/composition/main.ts'
import { maxWriteMs } from '../../packages/ratecard/src/processor/write-options.ts'
import {
  registerBillingGauges,
  withBillingCounters,
} from '../../packages/ratecard/src/server/composition/billing-metrics.ts'
import type { Service } from '../../packages/ratecard/src/server/service/service.ts'
import {
  createRequestCounters,
  registerMirrorMetrics,
} from '../../packages/ratecard/src/server/composition/processor-metrics.ts'
import { mirrorOff } from '../../packages/ratecard/src/customers/mirror/mirror.ts'
import { systemClock } from '../../packages/ratecard/src/base/clock.ts'
import { createMetrics, createRequestMetrics } from '../../packages/ratecard/src/server/http/listener/metrics.ts'
import type { Store } from '../../packages/ratecard/src/store/store.ts'
import { settingsSchema } from '../../packages/ratecard/src/server/settings.ts'
import { createWorkerMetrics } from '../../packages/ratecard/src/workers/runtime/worker-metrics.ts'
import { announceSkip } from '../support/skips.ts'
import { temporaryFolder } from '../support/folder.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')
type Json = Readonly<Record<string, unknown>>

/** True if a tool is installed. Otherwise the skip is listed at the end of the run. */
function has(tool: string): boolean {
  const there = (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(path.join(folder, tool)))
  if (!there) announceSkip('deployment files', `${tool} is not installed`)
  return there
}

function run(tool: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8', env: { ...process.env, ...env } })
  return { status, text: `${stdout}${stderr}` }
}

const settingNames = new Set(Object.keys(settingsSchema.properties))
/** Time (seconds) from the end of the shutdown delay to the end of the process, if the longest write to the processor is running. */
const stopSeconds = (drainMs + maxWriteMs) / 1000

describe('compose.yaml', () => {
  const services = (parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Json> }).services
  const replicas = Object.entries(services).filter(([name]) => name.startsWith('ratecard-'))

  test('gives both replicas the same settings, uses only settings that exist, and contains no secret', () => {
    expect(replicas.map(([name]) => name)).toEqual(['ratecard-1', 'ratecard-2'])
    for (const [, { environment }] of replicas) {
      for (const name of Object.keys(environment as Json)) expect(settingNames).toContain(name)
      for (const secret of ['RATECARD_MASTER_KEY', 'RATECARD_SERVICE_KEY', 'STRIPE_SECRET_KEY'])
        expect((environment as Json)[secret]).toMatch(/^\$\{[A-Z_]+:\?/)
    }
  })

  test('gives each replica a stop timeout that is longer than its shutdown delay, its draining and the longest write', () => {
    for (const [, service] of replicas) {
      const delay = Number((service['environment'] as Json)['RATECARD_SHUTDOWN_DELAY_SECONDS'])
      expect(Number.parseInt(String(service['stop_grace_period']), 10)).toBeGreaterThan(delay + stopSeconds)
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    }
  })

  test('is accepted by Docker Compose, and refused if a secret is missing', () => {
    if (!has('docker-compose')) return
    const names = ['POSTGRES_PASSWORD', 'RATECARD_MASTER_KEY', 'RATECARD_SERVICE_KEY', 'STRIPE_SECRET_KEY']
    // An empty file, so that a present `.env` is not read.
    const noMore = path.join(temporaryFolder(), 'env')
    writeFileSync(noMore, '')
    const config = (file: string, missing?: string) => {
      const env = Object.fromEntries(names.map((name) => [name, name === missing ? '' : 'given']))
      return run('docker-compose', ['--env-file', noMore, '--file', file, 'config', '--quiet'], env)
    }
    const file = path.join(root, 'compose.yaml')
    expect(config(file)).toMatchObject({ status: 0, text: '' })
    for (const name of names) expect(config(file, name).text).toContain('Missing mandatory value')
    const slip = path.join(temporaryFolder(), 'compose.yaml')
    writeFileSync(slip, read('compose.yaml').replace('read_only:', 'readonly:'))
    expect(config(slip).text).toContain('Unsupported config option')
  })

  test('contains a load balancer configuration that HAProxy accepts', () => {
    if (!has('haproxy')) return
    const env = { LISTEN: '127.0.0.1:1', REPLICA_1: '127.0.0.1:2', REPLICA_2: '127.0.0.1:3' }
    expect(run('haproxy', ['-c', '-f', path.join(root, 'deploy/compose/haproxy.cfg')], env)).toMatchObject({
      status: 0,
    })
  })
})

describe('deploy/kubernetes:', () => {
  const folder = 'deploy/kubernetes'
  const manifests = readdirSync(path.join(root, folder))
    .filter((name) => name !== 'kustomization.yaml')
    .flatMap((name) => parseAllDocuments(read(`${folder}/${name}`)).map((document) => document.toJS() as Json))
  const find = (kind: string) =>
    manifests.find((manifest) => manifest['kind'] === kind) as Readonly<Record<string, unknown>>

  test('the kustomization lists each file of the folder, and no other', () => {
    const { resources } = parse(read(`${folder}/kustomization.yaml`)) as { resources: string[] }
    const files = readdirSync(path.join(root, folder)).filter((name) => name !== 'kustomization.yaml')
    expect([...resources].sort()).toEqual(files.sort())
  })

  test('all selectors match the pods of the deployment', () => {
    const { template, selector } = find('Deployment')['spec'] as { template: { metadata: Json }; selector: Json }
    expect(selector).toEqual({ matchLabels: template.metadata['labels'] })
    expect(find('Service')['spec']).toMatchObject({ selector: template.metadata['labels'] as Json })
    expect(find('PodDisruptionBudget')['spec']).toMatchObject({ selector })
    expect(find('NetworkPolicy')['spec']).toMatchObject({ podSelector: selector })
  })

  test('a pod has no secret in its definition, no privilege, and a grace period longer than its delay, its draining and the longest write', () => {
    interface Container {
      env: { name: string; value: string }[]
      securityContext: Json
    }
    const pod = (find('Deployment')['spec'] as { template: { spec: Json } }).template.spec
    const [container] = pod['containers'] as [Container]
    const delay = Number(container.env.find(({ name }) => name === 'RATECARD_SHUTDOWN_DELAY_SECONDS')?.value)
    expect(delay).toBeGreaterThan(0)
    expect(pod['terminationGracePeriodSeconds']).toBeGreaterThan(delay + stopSeconds)
    expect(container.env.map(({ name }) => name).filter((name) => !settingNames.has(name))).toEqual([])
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([])
  })
})

test('the systemd unit has a stop timeout longer than the shutdown delay, the draining and the longest write', () => {
  const unit = read('deploy/systemd/ratecard.service')
  const delay = Number(/RATECARD_SHUTDOWN_DELAY_SECONDS=(\d+)/.exec(unit)?.[1])
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(delay + stopSeconds)
})

test('the systemd unit has an exposure level (by systemd-analyze security) of at most 3.0', () => {
  if (!has('systemd-analyze')) return
  const unit = path.join(root, 'deploy/systemd/ratecard.service')
  const { text } = run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
  expect(text).not.toMatch(/Unknown|ignoring/)
  expect(Number(/exposure level for \S+: ([\d.]+)/.exec(text)?.[1])).toBeLessThanOrEqual(3)
})

describe('deploy/proxy:', () => {
  test('the Caddyfile is accepted by Caddy', () => {
    if (!has('caddy')) return
    const home = temporaryFolder()
    const env = { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
    const config = path.join(root, 'deploy/proxy/Caddyfile')
    expect(run('caddy', ['validate', '--config', config, '--adapter', 'caddyfile'], env)).toMatchObject({ status: 0 })
  })

  test('the nginx configuration is accepted by nginx', () => {
    if (!has('nginx') || !has('openssl')) return
    const folder = temporaryFolder()
    const [certificate, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
    const subject = ['-subj', '/CN=billing.example.com']
    run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject])
    const site = read('deploy/proxy/nginx.conf')
      .replace(/\S+\/fullchain\.pem/, certificate)
      .replace(/\S+\/privkey\.pem/, key)
    const logs = `error_log stderr;\npid ${folder}/nginx.pid;`
    const config = path.join(folder, 'nginx.conf')
    writeFileSync(config, `${logs}\nevents {}\nhttp {\naccess_log off;\n${site}\n}\n`)
    expect(run('nginx', ['-t', '-c', config, '-p', folder])).toMatchObject({ status: 0 })
  })
})

describe('deploy/grafana:', () => {
  const dashboard = JSON.parse(read('deploy/grafana/dashboard.json')) as {
    panels: { title: string; targets?: { expr: string }[] }[]
  }
  const alerts = parse(read('deploy/grafana/alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] }
  const expressions = [
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ]

  test('each metric in the files is exported by the service', async () => {
    const registry = createMetrics()
    createRequestMetrics(registry).watchConnections(() => 0)
    createWorkerMetrics(registry, () => [])
    createRequestCounters(registry)
    const unused = { billingGauges: () => Promise.resolve(null) } as unknown as Service
    const report = () => undefined
    registerBillingGauges(registry, unused, report)
    const facts = { get: () => Promise.resolve(null) } as unknown as Store['facts']
    const usageComparison = {} as unknown as Store['usageComparison']
    withBillingCounters(unused, registry, {
      store: { facts, usageComparison, tryExclusively: () => Promise.reject(new Error('unused')) },
      clock: systemClock,
      report,
    })
    registerMirrorMetrics(registry, {
      mirror: mirrorOff,
      store: { state: () => Promise.resolve(null) },
      clock: systemClock,
      report,
    })
    const known = new Set(
      (await registry.getMetricsAsJSON()).flatMap(({ name }) => [
        name,
        `${name}_bucket`,
        `${name}_sum`,
        `${name}_count`,
      ]),
    )
    // Prometheus adds this metric itself.
    known.add('up')
    const named = expressions.flatMap((text) => text.match(/\b(?:ratecard|process|nodejs)_\w+|\bup\b/g) ?? [])
    expect(named.length).toBeGreaterThan(20)
    expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([])
  })

  test('Prometheus accepts the rules and every expression of the dashboard', () => {
    if (!has('promtool')) return
    const asRules = path.join(temporaryFolder(), 'dashboard.yaml')
    const rules = expressions.map((expr, index) => ({
      record: `panel:${String(index)}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*'),
    }))
    writeFileSync(asRules, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    for (const file of [asRules, path.join(root, 'deploy/grafana/alerts.yaml')])
      expect(run('promtool', ['check', 'rules', file])).toMatchObject({ status: 0 })
  })
})

describe('the files for CI pipelines:', () => {
  const { version } = JSON.parse(read('packages/ratecard/package.json')) as { version: string }

  test('the GitHub action runs the command-line tool of the release that it belongs to', () => {
    const folder = temporaryFolder()
    writeFileSync(path.join(folder, 'npx'), '#!/bin/sh\necho "npx $*"\n', { mode: 0o755 })
    const action = parse(read('integrations/github-action/action.yml')) as { inputs: { ratecard: Json } }
    expect(action.inputs.ratecard).not.toHaveProperty('default')
    const script = path.join(root, 'integrations/github-action/main.mjs')
    const { text } = run(process.execPath, [script], {
      PATH: `${folder}:/usr/bin:/bin`,
      INPUT_COMMAND: 'drift',
      INPUT_RATECARD: '',
    })
    expect(text).toBe(`npx --yes ratecard@${version} billing drift --format markdown --exit-code\n`)
  })

  test('the GitLab jobs install the release that they belong to, and the workflows use the action of that release', () => {
    const gitlab = parse(read('integrations/gitlab/ratecard.gitlab-ci.yml')) as { variables: Json }
    expect(gitlab.variables['RATECARD_VERSION']).toBe(version)
    for (const name of ['plan', 'apply', 'drift'])
      expect(read(`integrations/github-action/examples/${name}.yml`)).toContain(`/github-action@v${version}\n`)
  })
})
