import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  planSegments,
  priceIn,
} from '../../../packages/ratecard/src/processor/stripe/subscriptions/schedule-timeline.ts'
import type {
  Phase,
  PriceSwitch,
} from '../../../packages/ratecard/src/processor/stripe/subscriptions/schedule-timeline.ts'

type Phases = readonly [Phase, ...Phase[]]
type Said = readonly { readonly start: number; readonly end: number; readonly prices: readonly string[] }[]

/** The members of a phase that a timeline reads. */
function phasesOf(said: Said): Phases {
  const items = (prices: readonly string[]) => prices.map((price) => ({ price, quantity: 1 }))
  const made = said.map(({ start, end, prices }) => ({ start_date: start, end_date: end, items: items(prices) }))
  return made as unknown as Phases
}

const schedule = { id: 'sub_sched_a', endBehavior: 'release' } as const

const kept = (phases: Phases, turns: readonly PriceSwitch[]) => planSegments(schedule, phases, turns)

/** Returns the prices at this time, from the phases or from the plan. */
function pricesAt(phases: Phases, moment: number): string[] {
  const phase = phases.findLast(({ start_date: start }) => start <= moment) ?? phases[0]
  return phase.items.map((item) => priceIn(item, new Map()))
}

/** Phases without gaps. The first item of each is on `a`, the second one on `b` or on a price of its own. */
const timelines = fc
  .array(fc.record({ length: fc.integer({ min: 1, max: 5 }), own: fc.boolean() }), { minLength: 1, maxLength: 5 })
  .map((parts) => {
    let start = 0
    return parts.map(({ length, own }, index) => {
      const begun = start
      start += length
      return { start: begun, end: start, prices: ['a', own && index > 0 ? `own${index}` : 'b'] }
    })
  })

const moments = fc.integer({ min: 1, max: 30 })

describe('the schedule phases after a scheduled swap of prices', () => {
  test('follow each other without a gap from the current phase on, and the last phase has no end only after a later swap', () => {
    fc.assert(
      fc.property(timelines, moments, (said, at) => {
        const { segments } = kept(phasesOf(said), [{ from: 'a', to: 'n', at }])
        expect(segments[0]?.start).toBe(0)
        for (const [index, { end }] of segments.entries()) {
          const next = segments[index + 1]
          if (next !== undefined) expect(end).toBe(next.start)
        }
        const lastEnd = said.at(-1)?.end ?? 0
        expect(segments.at(-1)?.end).toBe(at >= lastEnd ? null : lastEnd)
      }),
    )
  })

  test('have the same prices as before until the swap, and then the new price in place of the old price', () => {
    fc.assert(
      fc.property(timelines, moments, (said, at) => {
        const phases = phasesOf(said)
        const { segments, changes } = kept(phases, [{ from: 'a', to: 'n', at }])
        expect(changes).toBe(true)
        for (let moment = 0; moment < 40; moment++) {
          const then = segments.findLast(({ start }) => start <= moment)
          const said = then?.phase.items.map((item) => priceIn(item, then.moved))
          expect(said).toEqual(pricesAt(phases, moment).map((price) => (price === 'a' && moment >= at ? 'n' : price)))
        }
      }),
    )
  })

  test('are unchanged if the swap is requested again', () => {
    fc.assert(
      fc.property(timelines, moments, moments, (said, first, second) => {
        const turns = [
          { from: 'a', to: 'n', at: first },
          ...(said.some(({ prices }) => prices[1] !== 'b') ? [] : [{ from: 'b', to: 'm', at: second }]),
        ]
        const once = kept(phasesOf(said), turns).segments
        const written = once.map(({ phase, start, end, moved }) => ({
          start,
          end: typeof end === 'number' ? end : start + 1,
          prices: phase.items.map((item) => priceIn(item, moved)),
        }))
        const again = kept(phasesOf(written), turns)
        expect(again.changes).toBe(false)
        expect(again.segments).toHaveLength(written.length)
      }),
    )
  })

  test('cannot skip a price that an operator scheduled for the item', () => {
    const phases = phasesOf([
      { start: 0, end: 2, prices: ['a'] },
      { start: 2, end: 4, prices: ['theirs'] },
    ])
    expect(() => kept(phases, [{ from: 'a', to: 'n', at: 2 }])).toThrow(/already moves the item on a/)
    expect(kept(phases, [{ from: 'a', to: 'n', at: 1 }]).segments).toHaveLength(3)
  })
})
