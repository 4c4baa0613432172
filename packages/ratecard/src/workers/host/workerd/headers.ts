import type { IncomingMessage } from 'node:http'

/** Headers that belong to one connection and never pass a proxy (RFC 9110 §7.6.1), lowercase. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Name and value in turn, without hop-by-hop headers, those the `Connection` header names, and `without` (lowercase). */
export function endToEnd(rawHeaders: readonly string[], without: readonly string[] = []): string[] {
  let named: Set<string> | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== 'connection') continue
    named ??= new Set()
    for (const token of rawHeaders[index + 1]!.split(',')) named.add(token.trim().toLowerCase())
  }
  const kept: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (hopByHop.has(name) || without.includes(name) || named?.has(name) === true) continue
    kept.push(rawHeaders[index]!, rawHeaders[index + 1]!)
  }
  return kept
}

/** Status line and headers as they go on the wire. */
export function rawHead(answer: IncomingMessage, rawHeaders: readonly string[]): string {
  let text = `HTTP/1.1 ${answer.statusCode ?? 502} ${answer.statusMessage ?? ''}\r\n`
  for (let index = 0; index < rawHeaders.length; index += 2)
    text += `${rawHeaders[index]!}: ${rawHeaders[index + 1]!}\r\n`
  return `${text}\r\n`
}
