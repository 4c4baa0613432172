import { ServiceError } from '../../errors/service-error.ts'

/**
 * Returns the error for a transfer coding other than `chunked`, otherwise null. E.g. a body with `gzip` would not be decompressed and would
 * be misread.
 */
export function codingRefusal(transferEncoding: string | undefined): ServiceError | null {
  if (transferEncoding === undefined || transferEncoding.trim().toLowerCase() === 'chunked') return null
  return new ServiceError('request_invalid', 'The header Transfer-Encoding may only be chunked.')
}
