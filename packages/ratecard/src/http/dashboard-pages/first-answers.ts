// What a page of the dashboard would ask for first, written into its document: it is shown with the first picture.
import { ServiceError } from '../../errors/service-error.ts'
import type { Service, ServiceKey } from '../../service/service.ts'
import { toWire } from '../../api/notation/case-conversion.ts'
import { dashboardOperations } from '../../api/dashboard.ts'
import { ServiceKey as KeySchema } from '../../api/keys.ts'
import { priceListOperations } from '../../api/price-list.ts'

/** A longer price list is asked for, compressed, by the page itself. Bytes. */
const longest = 128 * 1024
/** Places below the dashboard's path where the public price list is the first thing to see. */
const priceListPlaces = new Set(['', '/', '/prices'])

/**
 * JSON: the bodies that these routes answer to `key`, by their path. A price list that cannot be read is left out, and `onFailure`
 * hears why: the page asks for it, and says what it is told.
 */
export async function firstAnswers(
  place: string,
  key: ServiceKey,
  service: Pick<Service, 'published'>,
  onFailure: (error: unknown) => void,
): Promise<string> {
  const answers = [[dashboardOperations.getOwnKey.path, JSON.stringify(toWire(KeySchema, key))]]
  const priceList = priceListPlaces.has(place) ? await bodyOf(service, onFailure) : null
  if (priceList !== null) answers.push([priceListOperations.getConfig.path, priceList])
  return `{${answers.map(([path, body]) => `${JSON.stringify(path)}:${String(body)}`).join(',')}}`
}

async function bodyOf(
  service: Pick<Service, 'published'>,
  onFailure: (error: unknown) => void,
): Promise<string | null> {
  try {
    const { body } = await service.published()
    return body.length > longest ? null : body.toString()
  } catch (error) {
    // Before the first push, and after a reset.
    const isExpected = error instanceof ServiceError && error.code === 'config_not_found'
    if (!isExpected) onFailure(error)
    return null
  }
}
