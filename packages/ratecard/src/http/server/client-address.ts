// Whose request it is, when proxies stand in front: limits count clients, not the balancer that all of them come through.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

export type ClientAddress = (request: IncomingMessage) => string

/**
 * The address of the client: the right-most hop of `X-Forwarded-For` that is no trusted proxy, and the connection's own address
 * where that is none. What a client writes into the header stands further left and counts for nothing.
 */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = netsOf(trustedProxies)
  return (request) => {
    let client = plainAddress(request.socket.remoteAddress ?? '')
    if (trustedProxies.length === 0 || !isWithin(trusted, client)) return client
    const hops = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    for (const hop of hops.reverse()) {
      const address = plainAddress(hop.trim())
      // A hop that is no address was written by nobody we trust to read it: the proxy that passed it on answers for it.
      if (isIP(address) === 0) return client
      client = address
      if (!isWithin(trusted, address)) return client
    }
    return client
  }
}

export type IsOverTls = (request: IncomingMessage) => boolean

/** Whether browsers reach the service over TLS: the public URL says so, or a trusted proxy says it in `X-Forwarded-Proto`. */
export function overTls(publicUrl: string | null, trustedProxies: readonly string[]): IsOverTls {
  if (publicUrl !== null && new URL(publicUrl).protocol === 'https:') return () => true
  const trusted = netsOf(trustedProxies)
  return ({ headers, socket }) =>
    trustedProxies.length > 0 &&
    isWithin(trusted, plainAddress(socket.remoteAddress ?? '')) &&
    // The first hop is the one that the browser talks to.
    /^\s*https\s*(,|$)/i.test([headers['x-forwarded-proto'] ?? []].flat().join(','))
}

/** What one client has for itself: an IPv4 address, or the /64 that an IPv6 address is in. */
export function clientNet(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = [...left, ...zeros, ...right].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${groups.join(':')}::/64`
}

const loopback = netsOf(['127.0.0.0/8', '::1'])

/** Also for text that is no address: then it is not. */
export function isLoopback(address: string): boolean {
  return isWithin(loopback, plainAddress(address))
}

function netsOf(entries: readonly string[]): BlockList {
  const nets = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) nets.addAddress(address, family)
    else nets.addSubnet(address, Number(bits), family)
  }
  return nets
}

function isWithin(nets: BlockList, address: string): boolean {
  return isIP(address) !== 0 && nets.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Without a port, without brackets, and an IPv4 address that is written as IPv6 as IPv4: proxies write all of these. */
export function plainAddress(address: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return bare.replace(/^::ffff:(?=\d+\.)/i, '')
}
