// The tax settings of the document in the differences between two revisions, in Chromium.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BillingConfig, Tax } from '../../packages/ratecard/src/document/schema/schema.ts'
import { chromiumPath } from '../support/programs/chromium.ts'
import { announceSkip } from '../support/skips.ts'
import { narrow, openDashboard, type DashboardWorld } from './dashboard-world.ts'
import { findingsOf } from '../support/programs/axe.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const taxed = (version: string, vat: number, tax?: Tax): BillingConfig => ({
  version,
  tax_rates: [
    { id: 'vat', display_name: 'VAT', percentage: vat, inclusive: false, country: 'DE' },
    { id: 'city', display_name: 'City tax', percentage: 1.5, inclusive: false },
  ],
  ...(tax === undefined ? {} : { tax }),
  products: [
    { id: 'solo', name: 'Solo', prices: [{ id: 'solo_monthly', amount: 1200, currency: 'eur', interval: 'month' }] },
  ],
})

let world: DashboardWorld
beforeAll(async () => {
  if (chromiumPath === null) return
  world = await openDashboard()
  await world.client.admin.push(taxed('1.0.0', 19))
  await world.client.admin.push(taxed('2.0.0', 19, { rates: ['vat'] }))
  await world.client.admin.push(taxed('3.0.0', 20, { rates: ['vat', 'city'], collect_tax_ids: true }))
  await world.client.admin.push(taxed('4.0.0', 20))
})
afterAll(async () => {
  if (chromiumPath !== null) await world.close()
})

const squeezed = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

describe.skipIf(chromiumPath === null)('the page of a revision in the dashboard', () => {
  test('shows the tax settings before and after the revision', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    const read = async (revision: number) => {
      await open(`history/${String(revision)}`)
      const row = page.getByRole('listitem').filter({ hasText: 'tax settings' })
      await row.waitFor()
      return squeezed(await row.innerText())
    }
    expect(await read(2)).toBe('updated tax settings tax none → rates vat')
    expect(await read(3)).toBe('updated tax settings tax rates vat → rates vat, city; tax ids collected')
    expect(await read(4)).toBe('updated tax settings tax rates vat, city; tax ids collected → none')
    expect(await findingsOf(page)).toEqual([])
    await narrow(page)
    expect(failures).toEqual([])
  })

  test('shows a tax rate with a changed percentage as a changed tax rate', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('history/3')
    const row = page.getByRole('listitem').filter({ hasText: 'tax rate vat' })
    await row.waitFor()
    const text = 'replaced tax rate vat VAT 19% exclusive → VAT 20% exclusive'
    expect(squeezed(await row.innerText())).toBe(text)
  })
})
