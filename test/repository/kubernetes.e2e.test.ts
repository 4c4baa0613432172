// The manifests of deploy/kubernetes, rendered by kustomize and validated without a cluster: against the published types of the Kubernetes
// API (unknown fields) and its validators (invalid values).
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { drainMs } from '../../packages/ratecard/src/server/composition/main.ts'
import { maxWriteMs } from '../../packages/ratecard/src/processor/write-options.ts'
import { announceSkip } from '../support/skips.ts'

const root = path.resolve(import.meta.dirname, '../..')
const installed = (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(path.join(folder, 'kubectl')))
if (!installed) announceSkip('kubernetes manifests', 'kubectl is not installed')

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: unknown
}

function render(): readonly Manifest[] {
  const folder = path.join(root, 'deploy/kubernetes')
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest)
}

const moduleOf = ({ apiVersion }: Manifest) => `kubernetes-models/${apiVersion}`

/** Returns the type errors of the manifests: unknown fields, and values of another type. */
function typeErrors(manifests: readonly Manifest[]): readonly string[] {
  const file = path.join(root, 'test/e2e/rendered-manifests.ts')
  const text = manifests
    .map((one) => `export const ${one.kind}: import('${moduleOf(one)}').I${one.kind} = ${JSON.stringify(one)}`)
    .join('\n')
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022 },
    ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (name) => name === file || fileExists(name)
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest)
  const program = ts.createProgram([file], options, host)
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

/** Returns the errors of the API's validators. */
async function valueErrors(manifests: readonly Manifest[]): Promise<readonly string[]> {
  type Model = new (manifest: Manifest) => { validate(): void }
  const all = await Promise.all(
    manifests.map(async (manifest) => {
      const { [manifest.kind]: Model } = (await import(moduleOf(manifest))) as Readonly<
        Record<string, Model | undefined>
      >
      if (Model === undefined) return [`no ${manifest.kind} in ${manifest.apiVersion}`]
      try {
        new Model(manifest).validate()
        return []
      } catch (error) {
        return [`${manifest.kind}: ${String(error)}`]
      }
    }),
  )
  return all.flat()
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold: number
}
interface Pod {
  readonly volumes: readonly { readonly emptyDir: { readonly sizeLimit?: string } }[]
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: { readonly runAsUser: number; readonly runAsNonRoot: boolean }
  readonly containers: readonly [
    {
      readonly image: string
      readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
      readonly env: readonly { readonly name: string; readonly value?: string }[]
      readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[]
      readonly volumeMounts: readonly { readonly mountPath: string }[]
      readonly startupProbe: Probe
      readonly readinessProbe: Probe
      readonly livenessProbe: Probe
    },
  ]
}

describe.runIf(installed)('deploy/kubernetes, rendered by kustomize', () => {
  const manifests = installed ? render() : []
  const specOf = (kind: string) => manifests.find((one) => one.kind === kind)?.spec
  const text = JSON.stringify(manifests)

  test('contains only fields that the Kubernetes API accepts', async () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ])
    expect(typeErrors(manifests)).toEqual([])
    expect(await valueErrors(manifests)).toEqual([])
  })

  test.each([
    ['readinessProbe', 'readynessProbe'],
    ['"topologyKey"', '"topologyKeys"'],
    ['"maxUnavailable":1', '"maxUnavailable":"1","minimumAvailable":1'],
    ['"automountServiceAccountToken":false', '"automountServiceAccountToken":"no"'],
    ['"podSelector"', '"podSelectors"'],
    ['"sizeLimit"', '"sizelimit"'],
    ['"apiVersion":"apps/v1"', '"apiVersion":"apps/v2"'],
  ])('fails the type check with a typing error, i.e. %s instead of %s', (right, wrong) => {
    expect(text).toContain(right)
    expect(typeErrors(JSON.parse(text.replace(right, wrong)) as Manifest[])).not.toEqual([])
  })

  test('fails the check of values with a value that the Kubernetes API refuses', async () => {
    const wrong = text.replace('"memory":"1Gi"', '"memory":"much"')
    expect(wrong).not.toBe(text)
    expect(await valueErrors(JSON.parse(wrong) as Manifest[])).toEqual([expect.stringContaining('limits')])
  })

  const deployment = specOf('Deployment') as {
    readonly replicas: number
    readonly strategy: { readonly rollingUpdate: { readonly maxUnavailable: number } }
    readonly template: { readonly spec: Pod }
  }
  const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8')

  test('runs this version of the image, with the user and the volume of the image', () => {
    const { containers, securityContext } = deployment.template.spec
    const [{ image, ports, volumeMounts }] = containers
    const { version } = JSON.parse(readFileSync(path.join(root, 'packages/ratecard/package.json'), 'utf8')) as {
      version: string
    }
    expect(image).toBe(`ratecard:${version}`)
    expect(securityContext).toMatchObject({ runAsNonRoot: true })
    expect(dockerfile).toContain(`USER ${String(securityContext.runAsUser)}:`)
    expect(dockerfile).toContain(`EXPOSE ${String(ports[0]?.containerPort)}`)
    expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual([/^VOLUME (\S+)$/m.exec(dockerfile)?.[1], '/tmp'])
  })

  test('removes a stopping pod from the endpoints before that pod refuses requests, and loses at most one pod in a disruption', () => {
    const [{ env, readinessProbe, livenessProbe, startupProbe, ports }] = deployment.template.spec.containers
    const delay = Number(env.find(({ name }) => name === 'RATECARD_SHUTDOWN_DELAY_SECONDS')?.value)
    const noticed = ({ periodSeconds, failureThreshold }: Probe) => periodSeconds * failureThreshold
    expect(noticed(readinessProbe)).toBeLessThan(delay)
    expect(deployment.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      delay + (drainMs + maxWriteMs) / 1000,
    )
    // An unreachable store must not end the process, so only the readiness probe depends on it.
    expect([readinessProbe, livenessProbe, startupProbe].map(({ httpGet }) => httpGet.path)).toEqual([
      '/readyz',
      '/healthz',
      '/healthz',
    ])
    expect(noticed(livenessProbe)).toBeGreaterThan(noticed(readinessProbe))
    for (const { httpGet } of [readinessProbe, livenessProbe, startupProbe]) expect(httpGet.port).toBe(ports[0]?.name)
    expect(deployment.replicas).toBeGreaterThan(1)
    expect(deployment.strategy.rollingUpdate.maxUnavailable).toBe(0)
    // A budget that allows no disruption would block every drain forever.
    const { maxUnavailable } = specOf('PodDisruptionBudget') as { readonly maxUnavailable: number }
    expect(maxUnavailable).toBeGreaterThan(0)
    expect(maxUnavailable).toBeLessThan(deployment.replicas)
  })

  test('allows traffic to the port of the service only, and none to a cloud’s metadata service', () => {
    const { policyTypes, ingress, egress } = specOf('NetworkPolicy') as {
      readonly policyTypes: readonly string[]
      readonly ingress: readonly { readonly ports: readonly { readonly port: string | number }[] }[]
      readonly egress: readonly {
        readonly to?: readonly { readonly ipBlock: { readonly cidr: string; readonly except: readonly string[] } }[]
        readonly ports: readonly { readonly port: number }[]
      }[]
    }
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
    expect(ingress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([
      deployment.template.spec.containers[0].ports[0]?.name,
    ])
    expect(egress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([53, 53, 5432, 443])
    const [web] = egress.filter(({ ports }) => ports.some(({ port }) => port === 443))
    expect(web?.to?.map(({ ipBlock }) => ipBlock)).toEqual([
      { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] },
      { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::254/128'] },
    ])
  })

  test('sets a size limit for each volume on the disk of a node', () => {
    const { volumes } = deployment.template.spec
    expect(volumes.map(({ emptyDir }) => emptyDir.sizeLimit)).toEqual(['1Gi', '512Mi'])
  })

  test('contains no secret, and no pod starts without the secret that the guide creates', () => {
    const [{ env, envFrom }] = deployment.template.spec.containers
    expect(env.map(({ name }) => name)).toEqual(['RATECARD_SHUTDOWN_DELAY_SECONDS'])
    expect(envFrom).toEqual([{ secretRef: { name: 'ratecard' } }])
    const page = readFileSync(path.join(root, 'docs/operations/kubernetes.md'), 'utf8')
    expect(page).toContain('create secret generic ratecard')
    expect(text).not.toMatch(/sk_(?:test|live)_|rk_|postgres:\/\//)
  })
})
