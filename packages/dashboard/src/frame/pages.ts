// Scripts of the pages, each loaded on the first visit. Only the price list is in the first script.
import type { ComponentType } from 'react'
import type { MenuPath } from './menu.ts'

export class PageScript {
  readonly #load: () => Promise<ComponentType>
  #loading: Promise<ComponentType> | null = null
  /** Null until the script is loaded. */
  component: ComponentType | null = null

  constructor(load: () => Promise<ComponentType>) {
    this.#load = load
  }

  /** Loads the script once. After a failure, the next call retries. */
  load(): Promise<ComponentType> {
    this.#loading ??= this.#load().then(
      (component) => (this.component = component),
      (error: unknown) => {
        this.#loading = null
        throw error
      },
    )
    return this.#loading
  }
}

const pageOf = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  new PageScript(async () => (await load())[name])

const inMenu: Readonly<Record<MenuPath, PageScript>> = {
  '/overview': pageOf(() => import('../pages/overview.tsx'), 'Overview'),
  '/prices': pageOf(() => import('../pages/prices.tsx'), 'Prices'),
  '/plan': pageOf(() => import('../pages/plan.tsx'), 'Plan'),
  '/history': pageOf(() => import('../pages/history.tsx'), 'HistoryPage'),
  '/drift': pageOf(() => import('../pages/drift.tsx'), 'Drift'),
  '/policies': pageOf(() => import('../pages/policies.tsx'), 'Policies'),
  '/tenants': pageOf(() => import('../pages/tenants.tsx'), 'Tenants'),
  '/coverage': pageOf(() => import('../pages/coverage.tsx'), 'CoveragePage'),
  '/jobs': pageOf(() => import('../pages/jobs.tsx'), 'Jobs'),
  '/workers': pageOf(() => import('../pages/workers.tsx'), 'Workers'),
  '/webhooks': pageOf(() => import('../pages/webhooks.tsx'), 'Webhooks'),
  '/keys': pageOf(() => import('../pages/keys.tsx'), 'Keys'),
  '/health': pageOf(() => import('../pages/health.tsx'), 'Health'),
}

/** Detail pages, which are not in the menu. */
const details: Readonly<Record<string, PageScript>> = {
  '/prices/:price': pageOf(() => import('../pages/subscribers.tsx'), 'Subscribers'),
  '/plan/:push': pageOf(() => import('../pages/push.tsx'), 'Push'),
  '/history/:revision': pageOf(() => import('../pages/revision.tsx'), 'RevisionPage'),
  '/tenants/:tenant': pageOf(() => import('../pages/tenant.tsx'), 'TenantPage'),
  '/jobs/:job': pageOf(() => import('../pages/job.tsx'), 'JobPage'),
  '/workers/:worker': pageOf(() => import('../pages/worker.tsx'), 'WorkerPage'),
}

/** Pages by path. Each page checks for itself whether the key may act. */
export const pages: Readonly<Record<string, PageScript>> = { ...inMenu, ...details }
