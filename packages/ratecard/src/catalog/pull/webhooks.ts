// Foreign webhook endpoints at one URL: one for the account's own events and one for those of connected accounts.
import { webhookKey } from '../../document/schema/ids.ts'
import type { ObservedResource } from '../resource.ts'
import type { PullContext } from './items.ts'

type Endpoint = ObservedResource<'webhook'>

/**
 * Returns the foreign webhook endpoints with the `connect` that a pull writes. The processor does not say which endpoints are for connected
 * accounts. So of two at one URL, e.g. `https://example.com/hook`, the newer gets `connect: true`, and the report says so. Of three, one is
 * left out as a duplicate.
 */
export function withConnect(reading: PullContext, foreign: readonly Endpoint[]): readonly Endpoint[] {
  const isOwn = ({ active, processorId }: Endpoint) => active && reading.own.ownerOf('webhook', processorId) !== null
  const taken = new Set(
    reading.own
      .all('webhook')
      .filter(isOwn)
      .map(({ fields }) => webhookKey(fields)),
  )
  const pulled = new Map<Endpoint, Endpoint>()
  // The list begins with the newest.
  for (const live of foreign.toReversed().sort((a, b) => a.created - b.created)) {
    const connected = { ...live, fields: { ...live.fields, connect: true } }
    const isSecond =
      live.connectUnknown === true && taken.has(webhookKey(live.fields)) && !taken.has(webhookKey(connected.fields))
    const told = isSecond ? connected : live
    taken.add(webhookKey(told.fields))
    pulled.set(live, told)
    if (!isSecond) continue
    const reason =
      'the processor does not say which endpoints are for connected accounts; this one is the newer of two at its URL, so it is written with `connect: true`'
    reading.left.push({ kind: 'webhook', processorId: live.processorId, field: 'connect', reason })
  }
  return foreign.map((live) => pulled.get(live) ?? live)
}
