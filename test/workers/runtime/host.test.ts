import os from 'node:os'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isPublicAddress } from '../../../packages/ratecard/src/workers/runtime/workerd/traffic/addresses.ts'
import { CpuBudget } from '../../../packages/ratecard/src/workers/runtime/workerd/limits/budget.ts'
import { findTarget, type EgressPolicy } from '../../../packages/ratecard/src/workers/runtime/workerd/traffic/egress.ts'
import { endToEnd, hopByHopAnd } from '../../../packages/ratecard/src/workers/runtime/workerd/traffic/headers.ts'
import {
  exceptionIn,
  limitLines,
  lineReader,
  parseLogLine,
} from '../../../packages/ratecard/src/workers/runtime/workerd/process/log-lines.ts'
import { traceMapper } from '../../../packages/ratecard/src/workers/runtime/workerd/process/source-map.ts'

describe('the CPU budget of a worker', () => {
  it('allows two overlapping invocations twice the CPU limit', () => {
    const budget = new CpuBudget(100, 0)
    budget.begin(0)
    budget.begin(0)
    budget.signOfLife()
    expect(budget.look(60, 60)).toBe('ping')
    budget.signOfLife()
    expect(budget.look(150, 90)).not.toBe('exceeded')
    budget.signOfLife()
    expect(budget.look(201, 51)).toBe('exceeded')
  })

  it('allows only one CPU limit in total while the worker prints nothing and does not respond to a ping', () => {
    const budget = new CpuBudget(100, 0)
    for (let count = 0; count < 20; count++) budget.begin(0)
    expect(budget.look(50, 50)).toBe('ping')
    expect(budget.look(100, 50)).toBe('watch')
    expect(budget.look(101, 50)).toBe('exceeded')
  })

  it('allows little more than one CPU limit in total to a blocked event loop that gets a tenth of a core', () => {
    const budget = new CpuBudget(100, 0)
    for (let count = 0; count < 20; count++) budget.begin(0)
    const verdicts = Array.from({ length: 20 }, (_, index) => budget.look((index + 1) * 10, 100))
    expect(verdicts.indexOf('ping')).toBe(2)
    expect(verdicts.indexOf('exceeded')).toBe(12)
  })

  it('stops a loop that yields to the event loop, however slowly the loop uses CPU time', () => {
    const budget = new CpuBudget(100, 0)
    budget.begin(0)
    let cpu = 0
    const verdicts = Array.from({ length: 11 }, () => {
      budget.signOfLife()
      return budget.look((cpu += 10), 1_000)
    })
    expect(verdicts.indexOf('exceeded')).toBe(10)
  })

  it('is reset when no invocation is in flight', () => {
    const budget = new CpuBudget(100, 0)
    budget.begin(0)
    expect(budget.look(90, 1_000)).not.toBe('exceeded')
    budget.end()
    expect(budget.look(91, 1_000)).toBe('idle')
    budget.begin(91)
    expect(budget.look(180, 1_000)).not.toBe('exceeded')
  })

  it('counts background work after the last response as one invocation', () => {
    const budget = new CpuBudget(100, 0)
    expect(budget.look(5, 1_000)).toBe('idle')
    expect(budget.look(80, 100)).toBe('ping')
    expect(budget.look(106, 100)).toBe('exceeded')
  })

  it('counts a message on an open connection as an invocation', () => {
    const budget = new CpuBudget(100, 0)
    budget.begin(0)
    budget.extend()
    expect(budget.look(150, 10_000)).not.toBe('exceeded')
    expect(budget.look(201, 10_000)).toBe('exceeded')
  })
})

describe('public addresses that workers may call:', () => {
  it.each(['1.1.1.1', '8.8.8.8', '100.63.255.255', '172.32.0.1', '2606:4700::1111', '2a00::1'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )
  it.each([
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.255.255',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...[
      '192.0.0.1',
      '192.0.2.1',
      '192.168.1.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '::',
      '::1',
      '::ffff:1.1.1.1',
      '::ffff:127.0.0.1',
      '::7f00:1',
      '64:ff9b::1.1.1.1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
    ],
    ...['fd12::1', 'ff02::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '5f00::1', 'localhost', ''],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('an outbound request of a worker', () => {
  const policy: EgressPolicy = {
    resolve: async (name) =>
      ({
        'public.test': ['10.0.0.1', '9.9.9.9'],
        'private.test': ['10.0.0.1'],
        'inner.test': ['10.0.0.2'],
        'self.test': ['9.9.9.1'],
      })[name] ?? [],
    allowedHosts: new Set(['private.test:8080', 'inner.test', '10.0.0.3']),
    service: { origins: new Set(['https://billing.test']), address: '127.0.0.1', port: 4242 },
    ownAddresses: () => new Set(['9.9.9.1']),
  }
  it.each([
    ['http://public.test/x', '9.9.9.9', 80, false],
    ['https://public.test/', '9.9.9.9', 443, true],
    ['http://9.9.9.9:81/', '9.9.9.9', 81, false],
    ['http://private.test:8080/', '10.0.0.1', 8080, false],
    ['http://inner.test/', '10.0.0.2', 80, false],
    ['http://inner.test:8080/', '10.0.0.2', 8080, false],
    ['https://inner.test/', '10.0.0.2', 443, true],
    ['http://10.0.0.3:8080/', '10.0.0.3', 8080, false],
    ['https://billing.test/api', '127.0.0.1', 4242, false],
  ])('to the URL %s is sent to the address %s, port %i', async (url, address, port, secure) => {
    expect(await findTarget(policy, url)).toMatchObject({ address, port, secure })
  })
  it.each([
    'http://private.test/',
    'http://private.test:8081/',
    'http://10.0.0.2/',
    'http://self.test/',
    'http://9.9.9.1/',
    'http://unknown.test/',
    'http://billing.test/',
    'ftp://public.test/',
    '/path',
    undefined,
  ])('is refused if it goes to %s', async (url) => {
    await expect(findTarget(policy, url)).rejects.toThrow(/refused|resolved|Only http/)
  })
  it('is refused if it goes to a public address of this machine', async () => {
    const [loopback] = Object.values(os.networkInterfaces()).flatMap((list) => list ?? [])
    const interfaces = vi.spyOn(os, 'networkInterfaces')
    onTestFinished(() => interfaces.mockRestore())
    interfaces.mockReturnValue({ eth0: [{ ...loopback!, address: '9.9.9.2' }] })
    const { ownAddresses: _, ...rest } = policy
    await expect(findTarget(rest, 'http://9.9.9.2/')).rejects.toThrow('refused')
    expect(await findTarget(rest, 'http://9.9.9.3/')).toMatchObject({ address: '9.9.9.3' })
  })
})

describe('hop-by-hop headers of a request to a worker', () => {
  it('are removed, together with the headers that the Connection header names', () => {
    const raw = [
      'Connection',
      'close, X-Hop',
      'x-hop',
      '1',
      'Keep-Alive',
      't',
      'Set-Cookie',
      'a',
      'set-cookie',
      'b',
      'TE',
      'x',
      'Host',
      'h',
    ]
    expect(endToEnd(raw, hopByHopAnd('host'))).toEqual(['Set-Cookie', 'a', 'set-cookie', 'b'])
  })
})

describe('lines that a worker’s process prints', () => {
  const context = { version: 'v', now: 1_000_000, map: (text: string) => text.replace('worker.js:1:1', 'src/a.ts:3:4') }
  it('are parsed by their format, and a forged log record is treated as an ordinary line', () => {
    const mark = '\u001e'
    expect(parseLogLine(`${mark}{"time":1000001,"level":"warn","message":"m","requestId":"r"}`, context)).toEqual({
      time: 1_000_001,
      level: 'warn',
      message: 'm',
      version: 'v',
      requestId: 'r',
    })
    expect(parseLogLine(`${mark}{"time":5,"level":"root","message":7,"requestId":{},"version":"x"}`, context)).toEqual({
      time: 1_000_000,
      level: 'log',
      message: '',
      version: 'v',
    })
    expect(
      parseLogLine(`${mark}{"level":"exception","message":"E","stack":"E\\n at worker.js:1:1"}`, context)?.message,
    ).toBe('E\n at src/a.ts:3:4')
    expect(parseLogLine(`${mark}not json`, context)).toMatchObject({ level: 'log' })
    expect(parseLogLine('plain', context)).toMatchObject({ level: 'log', message: 'plain' })
  })

  it('on standard error are attributed to the worker only if they report its exception', () => {
    const said =
      'workerd/server/listen.rs:372: error: Uncaught exception: workerd/jsg/value.h:1456: failed: remote.jsg.RangeError: in the middle'
    expect(exceptionIn(said, context)).toMatchObject({ level: 'exception', message: 'RangeError: in the middle' })
    for (const own of [
      'Unable to find and open the program executable, so unable to determine if there is a compiled-in config file.',
      'x: per-isolate bootstrap compile cache failed',
      '<--- Last few GCs --->',
    ])
      expect(exceptionIn(own, context)).toBeUndefined()
  })

  it('may be split at any byte, and are truncated at 64 KiB', () => {
    const lines: string[] = []
    const reader = lineReader((line) => lines.push(line))
    for (const byte of Buffer.from('ü\n\nlast')) reader.push(Buffer.from([byte]))
    reader.push(Buffer.from(`\n${'x'.repeat(70_000)}`))
    reader.push(Buffer.from(`${'y'.repeat(70_000)}\nafter`))
    reader.end()
    expect(lines.map((line) => line.slice(0, 5))).toEqual(['ü', '', 'last', 'xxxxx', 'after'])
    expect(lines[3]).toHaveLength(65_536)
    expect(lines[3]).not.toContain('y')
  })

  it('beyond 1,000 a second are counted, but not stored', () => {
    let now = 0
    const kept: string[] = []
    const limit = limitLines(
      'v',
      () => now,
      (line) => kept.push(line.message),
    )
    const line = { time: 0, level: 'log', message: 'm', version: 'v' } as const
    for (let count = 0; count < 1_500; count++) limit.log(line)
    now = 1_000
    limit.log(line)
    limit.flush()
    expect(kept).toHaveLength(1_002)
    expect(kept[1_000]).toBe('500 log lines were dropped.')
  })

  it('beyond 500,000 characters a second are dropped before they are parsed', () => {
    const kept: string[] = []
    const limit = limitLines(
      'v',
      () => 0,
      (line) => kept.push(line.message),
    )
    const taken = Array.from({ length: 20 }, () => limit.takes(50_000)).filter(Boolean)
    limit.flush()
    expect([taken.length, kept]).toEqual([10, ['10 log lines were dropped.']])
  })
})

describe('stack traces of a worker', () => {
  const map = JSON.stringify({ version: 3, sources: ['src/a.ts'], names: [], mappings: 'AAEI' })
  it('contain the author’s files, and leave out the frames of the runtime', () => {
    const text =
      'Error: x\n    at f (worker.js:1:1)\n    at async Object.fetch (entry.js:5:60)\n    at async prelude.js:3:4'
    expect(traceMapper(map)(text)).toBe('Error: x\n    at f (src/a.ts:3:5)')
  })
  it('contain positions in the bundle if the source map is missing or broken', () => {
    expect(traceMapper(null)('at worker.js:1:1')).toBe('at worker.js:1:1')
    expect(traceMapper('{')('at worker.js:1:1')).toBe('at worker.js:1:1')
  })
})
