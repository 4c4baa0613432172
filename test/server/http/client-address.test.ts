import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  clientAddress,
  clientNet,
  isLoopback,
} from '../../../packages/ratecard/src/server/http/listener/client-address.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

describe('the client address that the service uses behind proxies', () => {
  const behind = clientAddress(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'])

  it.each([
    ['127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['127.0.0.1', '6.6.6.6, 203.0.113.9', '203.0.113.9'],
    ['127.0.0.1', '6.6.6.6, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['127.0.0.1', '203.0.113.9:4711, [fd00::1]:80', '203.0.113.9'],
    ['127.0.0.1', '[2001:db8::5]:443', '2001:db8::5'],
    ['127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['127.0.0.1', '203.0.113.9, unknown', '127.0.0.1'],
    ['10.9.9.9', 'nonsense', '10.9.9.9'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['198.51.100.7', '203.0.113.9', '198.51.100.7'],
  ])('for a connection from %s with X-Forwarded-For %s is %s', (remote, forwarded, client) => {
    expect(behind(from(remote, forwarded))).toBe(client)
  })

  it('is the address of the connection if no proxy is trusted', () => {
    expect(clientAddress([])(from('127.0.0.1', '203.0.113.9'))).toBe('127.0.0.1')
  })
})

describe('the network that rate limits count as one client', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('for the address %s is %s', (address, net) => {
    expect(clientNet(address)).toBe(net)
  })
})

it('isLoopback() accepts loopback addresses only', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '[::1]', '::ffff:127.0.0.1'].every(isLoopback)).toBe(true)
  expect(['', 'localhost', '10.0.0.1', '127.0.0.1.evil.test', '::2'].some(isLoopback)).toBe(false)
})
