import { expect, test } from 'vitest'
import { readableLine } from '../../../packages/ratecard/src/server/composition/log.ts'

test('a log record is printed as a readable sentence on a terminal', () => {
  const line = JSON.stringify({
    ...{ level: 40, time: 0, pid: 1, hostname: 'h', msg: 'a push answered with 202 has failed', push_id: 'push_1' },
    err: { message: 'no', stack: 'Error: no\n    at here' },
  })
  expect(readableLine(line)).toMatch(
    /^\d\d:\d\d:\d\d warn {2}a push answered with 202 has failed push_id=push_1\nError: no\n {4}at here$/,
  )
})

test('the log line of a request contains the request and its status', () => {
  const line = JSON.stringify({
    ...{ level: 30, time: 0, reqId: 'req-1', msg: 'request completed', responseTime: 3.4 },
    ...{ req: { method: 'GET', url: '/healthz' }, res: { statusCode: 200 } },
  })
  expect(readableLine(line)).toMatch(/info {2}request completed GET \/healthz 200 3 ms \(req-1\)$/)
})

test('an output line that is not a log record is printed unchanged', () => {
  expect(readableLine('not json\n')).toBe('not json')
})
