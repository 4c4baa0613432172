import { ServiceError } from '../../errors/service-error.ts'

/** Rejects transfer codings other than `chunked`: the body would not be decompressed and would be misread. */
export function codingRefusal(transferEncoding: string | undefined): ServiceError | null {
  if (transferEncoding === undefined || transferEncoding.trim().toLowerCase() === 'chunked') return null
  return new ServiceError('request_invalid', 'The header Transfer-Encoding takes chunked alone.')
}
