import { ServiceError } from '../../../base/errors/service-error.ts'

/**
 * Returns the error for a transfer coding other than `chunked`; null for `chunked`. E.g. a body with `gzip` would be misread, because it
 * would not be decompressed.
 */
export function codingRefusal(transferEncoding: string | undefined): ServiceError | null {
  if (transferEncoding === undefined || transferEncoding.trim().toLowerCase() === 'chunked') return null
  return new ServiceError('request_invalid', 'The header Transfer-Encoding may only be chunked.')
}
