// Prices page: the price list as customers see it, or with hidden and internal items.
import { useState, type ComponentProps } from 'react'
import { Link, useSearch } from 'wouter'
import type { BillingDocument, PriceDocument, ProductDocument, ServedConfig } from '@ratecard/client'
import { api } from '../api.ts'
import { useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { Badge, Card, Empty, Facts, Loading, Money, Page, Problem, Time } from '../ui/basic.tsx'
import { Id, Text } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import { Choices } from '../ui/choices.tsx'
import { pricedProducts } from '../amounts/priced.ts'
import { costOf } from '../charts/costs.ts'
import { SalesOfPrices, useSubscriptionsOf } from '../ui/price/price-sales.tsx'
import { OffBadge, SwitchedOff } from '../ui/plan/switched-off.tsx'
import { LoadExample } from '../ui/first-steps.tsx'
import { ProductLimits } from '../ui/price/product-limits.tsx'
import { productName } from '../words/names.ts'
import { count, isFree, pluralize, money, period, unitAmount } from '../words/words.ts'

import { PriceRow } from '../ui/price/price-row.tsx'

const views = { public: 'As customers see it', all: 'Everything' } as const
type View = keyof typeof views

export function Prices() {
  const [view, setView] = useState<View>('public')
  const served = useLoaded<ServedConfig>(`prices ${view}`, (signal) =>
    view === 'public' ? api.billing.config({ signal }) : api.admin.config({ signal }),
  )
  const isEmpty = served.error?.code === 'config_not_found'
  return (
    <Page
      title="Price list"
      lead={
        served.value === undefined ? (
          'The prices that are for sale now.'
        ) : (
          <>
            Version {served.value.version}, revision {served.value.revision}, since <Time at={served.value.updatedAt} />
          </>
        )
      }
      actions={<Choices name="Which prices" options={views} value={view} onChange={setView} />}
    >
      {isEmpty ? (
        <NothingYet />
      ) : served.error === null ? null : (
        <Problem error={served.error} onRetry={served.reload} />
      )}
      {served.value === undefined ? (
        served.error === null ? (
          <Loading />
        ) : null
      ) : (
        <SalesOfPrices>
          <SwitchedOff>
            <Listing document={served.value.config} isAll={view === 'all'} />
          </SwitchedOff>
        </SalesOfPrices>
      )}
    </Page>
  )
}

function NothingYet() {
  const mayAct = useMayAct()
  return (
    <Empty title="No price list yet">
      <p>
        {mayAct ? (
          <>
            Drop your files on the <Link href="/plan">Plan</Link> page, or run <code>ratecard billing push</code> in
            your project. <LoadExample />
          </>
        ) : (
          <>
            A colleague with a write key can run <code>ratecard billing push</code>.
          </>
        )}
      </p>
    </Empty>
  )
}

/** Minimum number of products at which the list has a search field and shows its products closed. */
const manyProducts = 12

const hasText = (product: ProductDocument, wanted: string) =>
  [product.id, product.name, product.ui?.display_name ?? '', ...(product.prices ?? []).map(({ id }) => id)].some(
    (text) => text.toLowerCase().includes(wanted),
  )

function Listing({ document, isAll }: { readonly document: BillingDocument; readonly isAll: boolean }) {
  const [text, setText] = useState(new URLSearchParams(useSearch()).get('q') ?? '')
  const order = (product: ProductDocument) => product.ui?.sort_order ?? Number.MAX_SAFE_INTEGER
  const products = [...pricedProducts(document)].sort((a, b) => order(a) - order(b))
  const wanted = text.trim().toLowerCase()
  const found = products.filter((product) => hasText(product, wanted))
  const isLong = products.length > manyProducts
  return (
    <>
      {products.length === 0 ? (
        <Empty title="Customers see no product">
          <p>Every price is hidden. “Everything” shows them.</p>
        </Empty>
      ) : null}
      {isLong || text !== '' ? (
        <search className="row spread">
          <input
            className="input grow"
            type="search"
            aria-label="Search products and prices"
            placeholder="Product or price, name or id"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <span className="quiet small" role="status">
            {count(found.length)} of {pluralize(products.length, 'product')}
          </span>
        </search>
      ) : null}
      {products.length > 0 && found.length === 0 ? (
        <Empty title="No product found">
          <p>Search for another name or id.</p>
        </Empty>
      ) : null}
      {isLong ? (
        <Card isFlush>
          <div className="fold-list">
            {found.map((product) => (
              <FoldedProduct
                key={product.id}
                product={product}
                features={document.features ?? []}
                isOpen={found.length <= 2}
              />
            ))}
          </div>
        </Card>
      ) : (
        found.map((product) => (
          <Card key={product.id}>
            <Product product={product} features={document.features ?? []} />
          </Card>
        ))
      )}
      {isAll && wanted === '' ? <Rest document={document} /> : null}
    </>
  )
}

interface ProductProps {
  readonly product: ProductDocument
  /** Features of the document, which name the limits of the product. */
  readonly features: NonNullable<BillingDocument['features']>
}

/** One line of a long list, with the name and the first prices of a product. The whole product is rendered when the line is opened. */
function FoldedProduct({ product, features, isOpen: isFirstOpen }: ProductProps & { readonly isOpen: boolean }) {
  const [isOpen, setOpen] = useState(isFirstOpen)
  const { prices = [] } = product
  const sold = useSubscriptionsOf(prices)
  return (
    <details className="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="fold-line">
          <b>
            <Text>{productName(product)}</Text>
          </b>
          {isOpen ? null : (
            <span className="quiet">
              {prices.length === 0 ? 'no price' : prices.slice(0, mostInLine).map(shortPrice).join(' · ')}
              {prices.length > mostInLine ? ` · ${count(prices.length - mostInLine)} more` : ''}
              {sold === null || sold === 0 ? '' : ` · ${pluralize(sold, 'subscription')}`}
            </span>
          )}
        </span>
      </summary>
      {isOpen ? (
        <div className="details-body">
          <Product product={product} features={features} hasName={false} />
        </div>
      ) : null}
    </details>
  )
}

const mostInLine = 3

/** Returns a price as short text, e.g. `€12.00 a month`, `from €5.00 a month` or `by usage`. */
function shortPrice(price: PriceDocument): string {
  const amount = unitAmount(price)
  if (isFree(price)) return 'free'
  if (price.usage_type === 'metered') return 'by usage'
  if (price.tiers !== undefined) return `from ${money(costOf(price, 1) ?? 0, price.currency)} ${period(price)}`
  return `${amount === null ? 'any amount' : money(amount, price.currency)} ${period(price)}`
}

function Product({ product, features, hasName = true }: ProductProps & { readonly hasName?: boolean }) {
  const { ui } = product
  const { prices = [] } = product
  const shownFeatures = ui?.features ?? []
  const [image] = (product.images ?? []).filter((address) => /^https:\/\//i.test(address))
  return (
    <div className="product">
      <div className="product-head">
        <div className="row">
          {image === undefined ? null : <img src={image} alt="" loading="lazy" referrerPolicy="no-referrer" />}
          {hasName ? (
            <h2>
              <Text>{productName(product)}</Text>
            </h2>
          ) : null}
          {ui?.badge === undefined ? null : (
            <Badge tone="accent">
              <Text>{ui.badge}</Text>
            </Badge>
          )}
          {ui?.highlighted === true ? <Badge tone="note">highlighted</Badge> : null}
          <OffBadge kind="product" id={product.id} />
        </div>
        <p className="quiet small">
          <Id>{product.id}</Id>
        </p>
        {ui?.tagline === undefined ? null : (
          <p>
            <Text>{ui.tagline}</Text>
          </p>
        )}
        {product.description === undefined ? null : (
          <p className="quiet">
            <Text>{product.description}</Text>
          </p>
        )}
      </div>
      <ProductLimits product={product} features={features} />
      {shownFeatures.length === 0 ? null : (
        <ul className="small features">
          {shownFeatures.map((feature, index) => (
            <li key={index}>
              <Text>{feature}</Text>
            </li>
          ))}
        </ul>
      )}
      {prices.length === 0 ? (
        <p className="quiet">It has no price.</p>
      ) : (
        <ul className="price-rows">
          {prices.map((price) => (
            <PriceRow
              key={price.id}
              price={price}
              unit={product.unit_label}
              isDefault={price.default === true && prices.length > 1}
            />
          ))}
        </ul>
      )}
    </div>
  )
}

/** Renders a card with a table. Renders nothing if the table has no rows. */
const TableCard = (table: ComponentProps<typeof Table>) =>
  table.rows.length === 0 ? null : (
    <Card title={table.caption} isFlush>
      <Table {...table} />
    </Card>
  )

/** Renders the items that no customer sees: meters, coupons, promotion codes, tax rates and portal configurations. */
function Rest({ document }: { readonly document: BillingDocument }) {
  const {
    meters = [],
    coupons = [],
    promotion_codes: codes = [],
    tax_rates: taxRates = [],
    portal: portals = [],
  } = document
  const taxed = document.tax?.rates ?? []
  return (
    <>
      <TableCard
        caption="Meters"
        columns={['Meter', 'Name', 'Event', 'Aggregation']}
        rows={meters.map((meter) => ({
          key: meter.id,
          cells: [
            <Id>{meter.id}</Id>,
            <Text>{meter.display_name}</Text>,
            <Id>{meter.event_name}</Id>,
            meter.default_aggregation?.formula ?? 'sum',
          ],
        }))}
      />
      <TableCard
        caption="Coupons"
        columns={['Coupon', 'Takes off', 'For']}
        rows={coupons.map((coupon) => ({
          key: coupon.id,
          cells: [
            <Id>{coupon.id}</Id>,
            coupon.percent_off === undefined ? (
              <Money amount={coupon.amount_off ?? 0} currency={coupon.currency ?? 'usd'} />
            ) : (
              `${count(coupon.percent_off)}%`
            ),
            coupon.duration === 'repeating' ? pluralize(coupon.duration_in_months ?? 0, 'month') : coupon.duration,
          ],
        }))}
      />
      <TableCard
        caption="Promotion codes"
        columns={['Code', 'Id', 'Coupon', 'State']}
        rows={codes.map((code) => ({
          key: code.id,
          cells: [
            <Id>{code.code}</Id>,
            <Id>{code.id}</Id>,
            <Id>{code.coupon}</Id>,
            code.active === false ? <Badge tone="warn">off</Badge> : <Badge tone="good">active</Badge>,
          ],
        }))}
      />
      <TableCard
        caption="Tax rates"
        columns={['Tax rate', 'Name', 'Per cent', 'Included in the price', 'State']}
        rows={taxRates.map((rate) => ({
          key: rate.id,
          cells: [
            <Id>{rate.id}</Id>,
            <Text>{rate.display_name}</Text>,
            `${String(rate.percentage)}%`,
            rate.inclusive ? 'yes' : 'no, added',
            rate.active === false ? (
              <Badge tone="warn">off</Badge>
            ) : taxed.includes(rate.id) ? (
              <Badge tone="good">in new sales</Badge>
            ) : (
              'not in new sales'
            ),
          ],
        }))}
      />
      <TableCard
        caption="Customer portals"
        columns={['Portal', 'Headline', 'Customers can', 'State']}
        rows={portals.map((portal) => ({
          key: portal.id,
          cells: [
            <Id>{portal.id}</Id>,
            <Text>{portal.headline ?? '—'}</Text>,
            Object.keys(portal.features)
              .map((name) => name.replaceAll('_', ' '))
              .join(', '),
            portal.default === true ? <Badge tone="good">default</Badge> : 'by name',
          ],
        }))}
      />
      <Card title="Document">
        <Facts
          rows={[
            ['Products', count(document.products.length)],
            ['Prices', count(document.products.flatMap(({ prices = [] }) => prices).length)],
            ['Webhooks', count((document.webhooks ?? []).length)],
          ]}
        />
      </Card>
    </>
  )
}
