import { describe, expect, it, test } from 'vitest'
import { isPublicAddress } from '../../../packages/ratecard/src/workers/runtime/workerd/traffic/addresses.ts'

/** A range, its first and last address, and the public addresses right before and after it. Null: another range is adjacent. */
const ranges: readonly (readonly [string, string, string, string | null, string | null])[] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', '223.255.255.255', null],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255', null, null],
  ['what is below 2000::', '::', last('1fff'), null, '2000::'],
  ['2001::/23', '2001::', last('2001:1ff'), last('2000'), '2001:200::'],
  ['2001:db8::/32', '2001:db8::', last('2001:db8'), last('2001:db7'), '2001:db9::'],
  ['2002::/16', '2002::', last('2002'), last('2001'), '2003::'],
  ['3fff::/20', '3fff::', last('3fff:fff'), last('3ffe'), '3fff:1000::'],
  ['what is above 2000::/3', '4000::', last('ffff'), last('3fff'), null],
]

/** The last IPv6 address that begins like this. */
function last(start: string): string {
  const groups = start.split(':')
  return [...groups, ...Array.from({ length: 8 - groups.length }, () => 'ffff')].join(':')
}

describe('an address range that is not part of the public internet:', () => {
  it.each(ranges)(
    '%s is refused from %s to %s, and the addresses next to the range are not',
    (_range, first, final, before, after) => {
      expect([first, final].filter(isPublicAddress)).toEqual([])
      const around = [before, after].filter((address) => address !== null)
      expect(around.filter(isPublicAddress)).toEqual(around)
    },
  )
})

test('an IPv6 address with a zone is not public', () => {
  expect(isPublicAddress('2606:4700::1')).toBe(true)
  expect(isPublicAddress('2606:4700::1%eth0')).toBe(false)
})
