// What a page of the dashboard would ask for first, written into its document: it is shown with the first picture.
import type { Service, ServiceKey } from '../../service/service.ts'
import { toWire } from '../../wire/cross.ts'
import { dashboardOperations } from '../../wire/dashboard.ts'
import { ServiceKey as KeySchema } from '../../wire/keys.ts'
import { priceListOperations } from '../../wire/price-list.ts'

/** A longer price list is asked for, compressed, by the page itself. Bytes. */
const longest = 128 * 1024
/** Places below the dashboard's path where the public price list is the first thing to see. */
const priceListPlaces = new Set(['', '/', '/prices'])

/** JSON: the bodies that these routes answer to `key`, by their path. */
export async function firstAnswers(
  place: string,
  key: ServiceKey,
  service: Pick<Service, 'published'>,
): Promise<string> {
  const answers = [[dashboardOperations.getOwnKey.path, JSON.stringify(toWire(KeySchema, key))]]
  const priceList = priceListPlaces.has(place) ? await bodyOf(service) : null
  if (priceList !== null) answers.push([priceListOperations.getConfig.path, priceList])
  return `{${answers.map(([path, body]) => `${JSON.stringify(path)}:${String(body)}`).join(',')}}`
}

async function bodyOf(service: Pick<Service, 'published'>): Promise<string | null> {
  try {
    const { body } = await service.published()
    return body.length > longest ? null : body.toString()
  } catch {
    // Nothing was pushed yet, or it cannot be read now: the page asks, and says what it is told.
    return null
  }
}
