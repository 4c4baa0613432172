import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'

/** The ServiceError that `work` throws; null if it does not throw. Other errors are rethrown. */
export function refusedWith(work: () => unknown): ServiceError | null {
  try {
    work()
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  return null
}
