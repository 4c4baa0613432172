import { expect, it } from 'vitest'
import { placeWords } from '../../../packages/ratecard/src/base/wording/place-words.ts'

const document = {
  version: '1.0.0',
  products: [{ id: 'solo' }, { id: 'team', prices: [{ id: 'team_monthly', tiers: [{ up_to: 'inf' }] }] }],
  promotion_codes: [{ id: 'spring', code: 'SPRING' }],
}

it('a place in a document is told with the ids of its objects, and without their positions', () => {
  const told = (pointer: string) => placeWords(document, pointer)
  expect(told('#/products/1/prices/0')).toBe('product team, price team_monthly')
  expect(told('#/products/1/prices/0/unit_amount_decimal')).toBe(
    'product team, price team_monthly, unit amount decimal',
  )
  expect(told('#/products/1/prices/0/tiers/0/up_to')).toBe('product team, price team_monthly, tier 1, up to')
  expect(told('#/promotion_codes/0/customer')).toBe('promotion code spring, customer')
  expect(told('#/version')).toBe('version')
})

it('the whole document, and an object that it does not have, keep their pointer', () => {
  expect(placeWords(document, '#')).toBe('#')
  expect(placeWords(document, '#/webhooks/2/url')).toBe('#/webhooks/2/url')
  expect(placeWords(null, '#/products/7/prices/0')).toBe('#/products/7/prices/0')
})
