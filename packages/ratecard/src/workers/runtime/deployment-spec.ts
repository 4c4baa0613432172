import { defaultLimits, type WorkerModule, type WorkerVersionSpec } from './worker-runtime.ts'
import type { DeploymentVar } from '../../api/workers/workers.ts'
import type { DeploymentContent, StoredModule } from '../../store/records/workers.ts'

export type Env = Readonly<Record<string, DeploymentVar>>

/**
 * Builds the specification of a worker version for the runtime from the stored deployment. Sets `RATECARD_API_URL` to `serviceUrl` unless
 * the author defined it.
 */
export function specOf(
  worker: { readonly name: string; readonly deploymentId: string },
  content: DeploymentContent,
  serviceUrl: string | null,
): WorkerVersionSpec {
  const main = content.modules.find((module) => module.name === content.main)
  const given = JSON.parse(content.env) as Env
  return {
    name: worker.name,
    version: worker.deploymentId,
    code: main?.content ?? '',
    sourceMap: content.sourceMap,
    modules: content.modules.filter((module) => module !== main).map(moduleOf),
    compatibilityDate: content.compatibilityDate,
    compatibilityFlags: content.compatibilityFlags,
    vars: { ...(serviceUrl === null ? {} : { RATECARD_API_URL: serviceUrl }), ...given },
    passCredentials: content.passCredentials,
    limits: { ...defaultLimits, cpuMs: content.cpuMs },
  }
}

function moduleOf({ name, type, content }: StoredModule): WorkerModule {
  return type === 'data' || type === 'wasm'
    ? { name, type, content: Buffer.from(content, 'base64') }
    : { name, type, content }
}
