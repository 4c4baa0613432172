import { describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { admin, sampleConfig, startTestApp } from '../support/app.ts'

describe('a document that the API returns', () => {
  it('is unchanged when it is pushed back, because its processor ids equal the stored mappings', async () => {
    const other = await startTestApp()
    try {
      await other.push(sampleConfig())
      const { config } = (await other.asAdmin({ url: `${admin}/config` })).json<{ config: BillingConfig }>()
      expect((await other.push(config)).json()).toMatchObject({ status: 'unchanged', writes: 0 })
    } finally {
      await other.close()
    }
  })
})
