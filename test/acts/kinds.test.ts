import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../packages/ratecard/src/base/errors/service-error.ts'
import { jobActs, jobKinds, jobStates } from '../../packages/ratecard/src/store/records/journal.ts'
import { actsOpenTo, assertOpenTo } from '../../packages/ratecard/src/acts/kinds.ts'

const codeOf = (work: () => void) => {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return error.code
  }
}

describe('the actions that a job allows', () => {
  it.each(jobKinds)('are exactly the actions that the service accepts, for the kind %s', (kind) => {
    for (const state of jobStates)
      for (const act of jobActs) {
        const isOpen = actsOpenTo(kind, state).includes(act)
        expect([state, act, codeOf(() => assertOpenTo({ kind }, state, act))]).toEqual([
          state,
          act,
          isOpen ? null : 'job_not_running',
        ])
      }
  })

  it('are, for a job of many subscriptions, cancelling while the job runs or waits, and resuming until the job is done', () => {
    const acts = jobStates.map((state) => [state, actsOpenTo('migration', state)])
    expect(Object.fromEntries(acts)).toEqual({
      running: ['cancel'],
      waiting: ['resume', 'cancel'],
      interrupted: ['resume'],
      failed: ['resume'],
      done: [],
      cancelled: [],
    })
  })

  it('are none for a job of one tenant, and for a webhook rotation only the actions in the state waiting', () => {
    for (const kind of ['enterprise_apply', 'subscription_discount'] as const)
      expect(jobStates.flatMap((state) => actsOpenTo(kind, state))).toEqual([])
    expect(jobStates.filter((state) => actsOpenTo('webhook_rotation', state).length > 0)).toEqual(['waiting'])
  })
})
