import type { Registry } from 'prom-client'
import type { Clock } from '../../../base/clock.ts'
import type { Authentication } from '../authentication/auth.ts'
import type { Origins } from '../authentication/session.ts'
import type { AddressGuard } from '../listener/address-guard.ts'
import type { Service } from '../../service/service.ts'

/** Dependencies of all routes. */
export interface RouteDeps {
  readonly service: Service
  readonly guard: AddressGuard
  readonly authentication: Authentication
  readonly origins: Origins
  readonly docsUrl: string
  readonly publicUrl: string | null
  readonly clock: Clock
  readonly wallClock: Clock
  readonly registry: Registry
  /** Aborts when the server drains. Streams then end. */
  readonly closing: AbortSignal
  readonly isLeaving: () => boolean
}
