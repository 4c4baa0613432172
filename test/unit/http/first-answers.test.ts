// A document of the dashboard comes whether or not the price list can be read, and no failure is lost.
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../packages/ratecard/src/errors/service-error.ts'
import { firstAnswers } from '../../../packages/ratecard/src/http/dashboard-pages/first-answers.ts'
import type { ServiceKey } from '../../../packages/ratecard/src/service/service.ts'

const key: ServiceKey = {
  id: 'key_1',
  name: 'mine',
  hint: 'abcd',
  scope: 'read',
  createdAt: 0,
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
}

async function openWith(error: Error) {
  const failures: unknown[] = []
  const answers = await firstAnswers('/prices', key, { published: () => Promise.reject(error) }, (failure) =>
    failures.push(failure),
  )
  return { paths: Object.keys(JSON.parse(answers) as object), failures }
}

describe('a price list that cannot be read for the document', () => {
  it('is told of, and the page comes without it', async () => {
    const error = new Error('the store is gone')
    const { paths, failures } = await openWith(error)
    expect(paths).toEqual(['/api/v1/billing/admin/keys/current'])
    expect(failures).toEqual([error])
  })

  it('is no failure where nothing was pushed yet', async () => {
    const { failures } = await openWith(new ServiceError('config_not_found', 'No configuration is applied at present.'))
    expect(failures).toEqual([])
  })
})
