// Status line and headers that another program wrote (a worker, or a server that a worker fetches), made safe before they are
// passed on. Node's `writeHead` throws for what it cannot write, and parsers let some of that through, e.g. the status 099.
import { STATUS_CODES } from 'node:http'
import type { ServerResponse } from 'node:http'
import { endToEnd } from './headers.ts'

declare const checked: unique symbol

/** Only `checkHead` makes one, and only such a head is written. Headers are name and value in turn. */
export interface SafeHead {
  readonly status: number
  readonly headers: readonly string[]
  readonly [checked]: true
}

/** Why a response is not passed on: the end of a sentence whose subject is its sender. */
export interface HeadProblem {
  readonly problem: string
}

const upgraded = 101
const badName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/
const badValue = /[^\t\x20-\x7e\x80-\xff]/

/**
 * The head without the headers in `without` and those of one connection. `upgrade`: the head is that of an upgraded connection,
 * where 101 is the one status; otherwise a status is from 200 to 599. The reason phrase is never passed on.
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

/** The head with headers of ours after those of its sender. */
export function withHeaders(head: SafeHead, ...ours: readonly string[]): SafeHead {
  return { ...head, headers: [...head.headers, ...ours] }
}

export function writeHead(response: ServerResponse, { status, headers }: SafeHead): void {
  response.writeHead(status, STATUS_CODES[status] ?? '', [...headers])
}

/** Status line and headers as they go on the wire, for a bare socket. */
export function headBytes({ status, headers }: SafeHead): Buffer {
  let text = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n`
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]!}: ${headers[index + 1]!}\r\n`
  // Node reads header bytes as latin1, so that is how the same bytes are written again.
  return Buffer.from(`${text}\r\n`, 'latin1')
}

function statusText(status: number | undefined): string {
  return status === undefined ? 'none' : String(status).padStart(3, '0')
}
