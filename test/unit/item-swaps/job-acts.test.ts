import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../packages/ratecard/src/errors/service-error.ts'
import { jobActs, jobKinds, jobStates } from '../../../packages/ratecard/src/store/records/journal.ts'
import { actsOpenTo, assertOpenTo } from '../../../packages/ratecard/src/jobs/job-acts.ts'

const codeOf = (work: () => void) => {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return error.code
  }
}

describe('the actions on a job', () => {
  it.each(jobKinds)('of the kind %s are accepted exactly as its responses list them', (kind) => {
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

  it('of many subscriptions are cancel while it runs or waits, and resume until it is done', () => {
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

  it('are none for a job of one tenant, and are limited to the waiting time of a webhook rotation', () => {
    expect(jobStates.flatMap((state) => actsOpenTo('enterprise_apply', state))).toEqual([])
    expect(jobStates.filter((state) => actsOpenTo('webhook_rotation', state).length > 0)).toEqual(['waiting'])
  })
})
