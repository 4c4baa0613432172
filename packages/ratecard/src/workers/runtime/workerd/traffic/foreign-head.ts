// Validates the status and headers of a response before it is forwarded. The response comes from a worker, or from a server that a worker
// fetches. Node's `writeHead` throws for invalid values, and HTTP parsers accept some of those, e.g. the status 099.
import { STATUS_CODES, type ServerResponse } from 'node:http'
import { endToEnd } from './headers.ts'

declare const checked: unique symbol

/**
 * Validated response headers as alternating name and value. Only `checkHead` creates this type, so that unvalidated headers cannot be
 * written.
 */
export interface SafeHead {
  readonly status: number
  readonly headers: readonly string[]
  readonly [checked]: true
}

/** Reason why a response is not forwarded. It completes a sentence whose subject is the sender of the response. */
export interface HeadProblem {
  readonly problem: string
}

const upgraded = 101
const badName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/
const badValue = /[^\t\x20-\x7e\x80-\xff]/

/**
 * Validates response headers, and removes hop-by-hop headers and those in `without`. With `upgrade` the status must be 101, otherwise it
 * must be 200 to 599. The reason phrase is never forwarded.
 */
export function checkHead(
  status: number | undefined,
  rawHeaders: readonly string[],
  without: ReadonlySet<string>,
  { upgrade = false }: { readonly upgrade?: boolean } = {},
): SafeHead | HeadProblem {
  if (status === undefined || (upgrade ? status !== upgraded : status < 200 || status > 599))
    return { problem: `answered with the status ${statusText(status)}; a status is a number from 200 to 599` }
  const headers = endToEnd(rawHeaders, without)
  for (let index = 0; index < headers.length; index += 2)
    if (headers[index] === '' || badName.test(headers[index]!) || badValue.test(headers[index + 1]!))
      return { problem: 'answered with a header that has control characters, or a name that is none' }
  return { status, headers } as unknown as SafeHead
}

/** Appends headers of Ratecard to the headers of the sender. */
export function withHeaders(head: SafeHead, ...ours: readonly string[]): SafeHead {
  return { ...head, headers: [...head.headers, ...ours] }
}

export function writeHead(response: ServerResponse, { status, headers }: SafeHead): void {
  response.writeHead(status, STATUS_CODES[status] ?? '', [...headers])
}

/** Returns the status line and headers as bytes, to write them to a plain socket. */
export function headBytes({ status, headers }: SafeHead): Buffer {
  let text = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n`
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]!}: ${headers[index + 1]!}\r\n`
  // Node decodes header bytes as Latin-1, so encoding as Latin-1 reproduces the original bytes.
  return Buffer.from(`${text}\r\n`, 'latin1')
}

function statusText(status: number | undefined): string {
  return status === undefined ? 'none' : String(status).padStart(3, '0')
}
