import { ServiceError } from '../../packages/ratecard/src/errors/service-error.ts'

/** The ServiceError that `work` throws; null when it throws nothing. Other errors are thrown on. */
export function refusedWith(work: () => unknown): ServiceError | null {
  try {
    work()
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  return null
}
