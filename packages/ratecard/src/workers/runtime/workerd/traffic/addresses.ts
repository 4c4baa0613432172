import { BlockList, isIP } from 'node:net'

const refused4 = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  refused4.addSubnet(network, bits, 'ipv4')

/**
 * Public IPv6 addresses: only 2000::/3 is allocated for global unicast. `refused6` lists the networks within that range that are special or
 * embed an IPv4 address.
 */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const refused6 = new BlockList()
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  refused6.addSubnet(network, bits, 'ipv6')

/**
 * True for an address of the public internet. False for e.g. loopback, private, link-local, shared, multicast and reserved addresses, and
 * IPv6 addresses that embed an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !refused4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !refused6.check(address, 'ipv6')
}
