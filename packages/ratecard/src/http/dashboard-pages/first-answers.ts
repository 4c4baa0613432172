// API responses that a dashboard page needs first, embedded in its HTML so that they are part of the first paint.
import { ServiceError } from '../../errors/service-error.ts'
import type { Service, ServiceKey } from '../../service/service.ts'
import { toWire } from '../../api/notation/case-conversion.ts'
import { dashboardOperations } from '../../api/dashboard.ts'
import { ServiceKey as KeySchema } from '../../api/keys.ts'
import { priceListOperations } from '../../api/price-list.ts'

/** Maximum size (bytes) of an embedded price list. A longer one is requested by the page, which gets it compressed. */
const maxAnswerLength = 128 * 1024
/** Paths below the dashboard's path that show the public price list first. */
const priceListPlaces = new Set(['', '/', '/prices'])

/**
 * JSON of the response bodies for `key`, by request path. A price list that cannot be read is left out and reported to `onFailure`; the
 * page then requests it and shows the error.
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
    return body.length > maxAnswerLength ? null : body.toString()
  } catch (error) {
    // Expected before the first push and after a reset.
    const isExpected = error instanceof ServiceError && error.code === 'config_not_found'
    if (!isExpected) onFailure(error)
    return null
  }
}
