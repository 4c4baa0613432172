// Coverage page: for each price of the public list, the prices of the enterprise templates, and the templates that lack one.
import { Fragment } from 'react'
import type { Coverage, PriceDocument } from '@ratecard/client'
import { api } from '../api.ts'
import { useLoaded } from '../frame/live.ts'
import { pricesById } from '../amounts/price-change.ts'
import { Badge, Card, Empty, Id, Page, Show, Text } from '../ui/basic.tsx'
import { PriceMoney } from '../ui/price/price-row.tsx'
import { pluralize } from '../words/words.ts'

/**
 * True if at least one enterprise template has a price for this base price. Otherwise every tenant pays the public price, so no template
 * lacks a price.
 */
const isNegotiated = ({ cells }: Coverage['rows'][number]) => cells.some(({ priceId }) => priceId !== null)

export function CoveragePage() {
  const coverage = useLoaded('coverage', async (signal) => {
    const [found, { config }] = await Promise.all([api.enterprise.coverage({ signal }), api.admin.config({ signal })])
    return { ...found, prices: pricesById(config) }
  })
  const isEmpty = coverage.error?.code === 'config_not_found'
  return (
    <Page title="Coverage" lead="Which deals have a negotiated price instead of each list price, and how much it is.">
      {isEmpty ? <NoDeals /> : null}
      {isEmpty ? null : (
        <Show of={coverage} what="Coverage">
          {({ templates, enterpriseIds, rows, gaps, withoutBase, prices }) =>
            templates.length + enterpriseIds.length === 0 ? (
              <NoDeals />
            ) : (
              <>
                <div className={gaps === 0 ? 'alert alert-good' : 'alert alert-warning'} role="status">
                  <p>
                    {gaps === 0
                      ? 'No gaps: each base price has a negotiated price either in every deal or in none.'
                      : `${pluralize(gaps, 'gap')}: a tenant with that deal keeps paying the base price.`}
                  </p>
                </div>
                <Card isFlush>
                  <div className="table-wrap" tabIndex={0} role="region" aria-label="Coverage, scrolls sideways">
                    <table className="table table-wide matrix">
                      <caption className="visually-hidden">Base prices by deal</caption>
                      <thead>
                        <tr>
                          <th scope="col">Base price</th>
                          {[
                            ...templates.map((name) => ['template', name]),
                            ...enterpriseIds.map((name) => ['own prices', name]),
                          ].map(([kind = '', name = '']) => (
                            <th key={`${kind} ${name}`} scope="col">
                              {kind} <Text>{name}</Text>
                            </th>
                          ))}
                        </tr>
                      </thead>
                      <tbody>
                        {rows.map((row) => (
                          <tr key={row.basePriceId}>
                            <th scope="row">
                              <Priced id={row.basePriceId} prices={prices} />
                            </th>
                            {row.cells.map((cell) => (
                              <td key={cell.target}>
                                {cell.priceId !== null ? (
                                  <Priced id={cell.priceId} prices={prices} />
                                ) : isNegotiated(row) ? (
                                  <Badge tone="warn">gap</Badge>
                                ) : (
                                  <span className="quiet">list price</span>
                                )}
                              </td>
                            ))}
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
                </Card>
                {withoutBase.length === 0 ? null : (
                  <div className="alert alert-warning">
                    <p>
                      Prices without a base price. No tenant can be moved to them:{' '}
                      {withoutBase.map((id, index) => (
                        <span key={id}>
                          {index === 0 ? '' : ', '}
                          <Id>{id}</Id>
                        </span>
                      ))}
                      . Name one with <code>base_price</code>.
                    </p>
                  </div>
                )}
              </>
            )
          }
        </Show>
      )}
    </Page>
  )
}

/** Renders an id that may break after an underscore, because columns of long ids are wider than the window. */
const BrokenId = ({ children: id }: { readonly children: string }) => (
  <bdi className="mono text">
    {id.split(/(?<=_)/).map((word, index) => (
      <Fragment key={index}>
        {word}
        <wbr />
      </Fragment>
    ))}
  </bdi>
)

/** Renders the id of a price, and below it its amount. */
function Priced({ id, prices }: { readonly id: string; readonly prices: ReadonlyMap<string, PriceDocument> }) {
  const price = prices.get(id)
  return (
    <>
      <BrokenId>{id}</BrokenId>
      {price === undefined ? null : (
        <span className="matrix-money">
          <PriceMoney price={price} unit={undefined} />
        </span>
      )}
    </>
  )
}

const NoDeals = () => (
  <Empty title="There are no negotiated prices">
    <p>
      Give a price <code>enterprise_template</code>, for many tenants, or <code>enterprise_id</code>, for one, and push
      your files.
    </p>
  </Empty>
)
