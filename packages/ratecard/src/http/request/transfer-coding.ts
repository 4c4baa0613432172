import { ServiceError } from '../../errors/service-error.ts'

/** Nobody here unpacks a body that was packed for its way: it would be taken for what it is not. */
export function codingRefusal(transferEncoding: string | undefined): ServiceError | null {
  if (transferEncoding === undefined || transferEncoding.trim().toLowerCase() === 'chunked') return null
  return new ServiceError('request_invalid', 'The header Transfer-Encoding takes chunked alone.')
}
