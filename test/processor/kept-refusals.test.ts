// A refusal that the processor replays for an idempotency key although its cause has been fixed.
import { expect, test } from 'vitest'
import { despiteKeptFailure } from '../../packages/ratecard/src/processor/failures.ts'
import { answering } from './suite/scripted.ts'

const signal = AbortSignal.timeout(600_000)
const refusal = { error: { type: 'invalid_request_error', code: 'no_meter', message: 'No active meter found.' } }
const event = { eventName: 'calls', payload: { value: '1' }, timestamp: null, identifier: 'one' }
const taken = { object: 'billing.meter_event', identifier: 'one' }

/** A processor that refuses the first idempotency key, and replays this refusal for the same key. */
async function keeping(headers: Readonly<Record<string, string>>) {
  const { processor, seen } = await answering(({ headers: { 'idempotency-key': key } }) =>
    key === 'first' ? { status: 400, headers, body: refusal } : { body: taken },
  )
  const report = () =>
    despiteKeptFailure(
      (idempotencyKey) => processor.recordUsage(event, { idempotencyKey, signal }),
      'first',
      () => 'fresh',
    )
  return { report, keys: () => seen.map(({ headers: { 'idempotency-key': key } }) => key) }
}

test('a refusal that the processor replays for an idempotency key is retried once with a new key', async () => {
  const { report, keys } = await keeping({ 'idempotent-replayed': 'true' })
  await report()
  expect(keys()).toEqual(['first', 'fresh'])
})

test('a refusal that the processor does not mark as replayed is not retried', async () => {
  const { report, keys } = await keeping({})
  await expect(report()).rejects.toMatchObject({ kind: 'rejected', repeated: false })
  expect(keys()).toEqual(['first'])
})
