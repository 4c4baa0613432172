// Coverage page: for each price of the public list, the prices of the enterprise templates, and the templates that lack one.
import { useState } from 'react'
import type { Coverage } from '@ratecard/client'
import { api } from '../api.ts'
import { useCatalog } from '../frame/catalog.ts'
import { useLoaded } from '../frame/live.ts'
import { Badge, Card, Empty, Page, Show } from '../ui/basic.tsx'
import { Id } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import { Choices } from '../ui/choices.tsx'
import { nameOfPrice, NamedPrice } from '../ui/named.tsx'
import { PriceMoney } from '../ui/price/price-row.tsx'
import { pluralize } from '../words/words.ts'

/**
 * True if at least one enterprise template has a price for this base price. Otherwise every tenant pays the public price, so no template
 * lacks a price.
 */
const isNegotiated = ({ cells }: Coverage['rows'][number]) => cells.some(({ priceId }) => priceId !== null)

export function CoveragePage() {
  const coverage = useLoaded('coverage', (signal) => api.enterprise.coverage({ signal }))
  const isEmpty = coverage.error?.code === 'config_not_found'
  return (
    <Page title="Coverage" lead="Which deals have a negotiated price instead of each list price, and how much it is.">
      {isEmpty ? <NoDeals /> : null}
      {isEmpty ? null : (
        <Show of={coverage} what="Coverage">
          {({ templates, enterpriseIds, rows, gaps, withoutBase }) =>
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
                <CoverageTable templates={templates} enterpriseIds={enterpriseIds} rows={rows} />
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

const shows = { negotiated: 'With a deal', all: 'All prices' } as const

type CoverageTableProps = Pick<Coverage, 'templates' | 'enterpriseIds' | 'rows'>

/**
 * Renders a column for each deal, e.g. the template `gold`, and a row for each list price that has another amount in some deal. The button
 * “All prices” adds the other list prices.
 */
function CoverageTable({ templates, enterpriseIds, rows }: CoverageTableProps) {
  const catalog = useCatalog()
  const [view, setView] = useState<keyof typeof shows>('negotiated')
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const negotiated = rows.filter(isNegotiated)
  const shown = view === 'all' ? rows : negotiated
  const hasText = (id: string) => `${nameOfPrice(catalog, id) ?? ''} ${id}`.toLowerCase().includes(wanted)
  const found = shown.filter(
    ({ basePriceId, cells }) =>
      hasText(basePriceId) || cells.some(({ priceId }) => priceId !== null && hasText(priceId)),
  )
  return (
    <>
      <search className="row spread">
        <input
          className="input grow"
          type="search"
          aria-label="Search prices"
          placeholder="Price, name or id"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Choices name="Which prices" options={shows} value={view} onChange={setView} />
      </search>
      {found.length === 0 ? (
        <Empty title="No price found" />
      ) : (
        <Card isFlush>
          <Table
            caption="Base prices by deal"
            columns={[
              'Base price',
              ...templates.map((name) => `Template ${name}`),
              ...enterpriseIds.map((name) => `Own prices ${name}`),
            ]}
            rows={found.map((row) => ({
              key: row.basePriceId,
              cells: [
                <Priced id={row.basePriceId} />,
                ...row.cells.map((cell) =>
                  cell.priceId !== null ? (
                    <Priced key={cell.target} id={cell.priceId} />
                  ) : isNegotiated(row) ? (
                    <Badge key={cell.target} tone="warn">
                      gap
                    </Badge>
                  ) : (
                    <span key={cell.target} className="quiet">
                      list price
                    </span>
                  ),
                ),
              ],
            }))}
          />
        </Card>
      )}
      {view === 'all' || rows.length === negotiated.length ? null : (
        <p className="quiet">{pluralize(rows.length - negotiated.length, 'other price')}: list price in every deal.</p>
      )}
    </>
  )
}

/** Renders a price by its name, and below it its amount. */
function Priced({ id }: { readonly id: string }) {
  const found = useCatalog()?.prices.get(id)
  return (
    <>
      <NamedPrice id={id} />
      {found === undefined ? null : <PriceMoney price={found.price} unit={undefined} />}
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
