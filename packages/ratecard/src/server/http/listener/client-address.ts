// Finds the address of the client behind proxies, so that rate limits count clients and not the load balancer.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

export type ClientAddress = (request: IncomingMessage) => string

/**
 * Returns a function that finds the client address of a request. If the peer is no trusted proxy, it is the peer's address. Otherwise it is
 * the right-most address in `X-Forwarded-For` that is no trusted proxy. Addresses that a client forges are further to the left, so they are
 * ignored.
 */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = netsOf(trustedProxies)
  return (request) => {
    let client = plainAddress(request.socket.remoteAddress ?? '')
    if (trustedProxies.length === 0 || !isWithin(trusted, client)) return client
    const hops = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    for (const hop of hops.reverse()) {
      const address = plainAddress(hop.trim())
      // The header may contain text that is no address. Then the address of the proxy that forwarded this text is used as the client
      // address.
      if (isIP(address) === 0) return client
      client = address
      if (!isWithin(trusted, address)) return client
    }
    return client
  }
}

export type IsOverTls = (request: IncomingMessage) => boolean

/**
 * Returns a function that is true for a request whose browser uses TLS. That is the case if the public URL is https, or if a trusted proxy
 * sent `X-Forwarded-Proto: https`.
 */
export function overTls(publicUrl: string | null, trustedProxies: readonly string[]): IsOverTls {
  if (publicUrl !== null && new URL(publicUrl).protocol === 'https:') return () => true
  const trusted = netsOf(trustedProxies)
  return ({ headers, socket }) =>
    trustedProxies.length > 0 &&
    isWithin(trusted, plainAddress(socket.remoteAddress ?? '')) &&
    // The first value in the header is the scheme between the browser and the outermost proxy.
    /^\s*https\s*(,|$)/i.test([headers['x-forwarded-proto'] ?? []].flat().join(','))
}

/** Returns the unit of rate limiting: an IPv4 address, or the /64 network of an IPv6 address, which usually belongs to one client. */
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

/** True for a loopback address, e.g. `127.0.0.1`. False for text that is no address. */
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

/**
 * Removes port and brackets of an address, and converts an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) to IPv4. Proxies use all of these
 * forms.
 */
export function plainAddress(address: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return bare.replace(/^::ffff:(?=\d+\.)/i, '')
}
