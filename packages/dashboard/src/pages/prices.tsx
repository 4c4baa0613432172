// Prices page: the price list as customers see it, or with hidden and internal items.
import { useId, useState, type ComponentProps } from 'react'
import { Link } from 'wouter'
import type { BillingDocument, PriceDocument, ProductDocument, ServedConfig, TierDocument } from '@ratecard/client'
import { api } from '../api.ts'
import { CostChart } from '../charts/cost-chart.tsx'
import { useAct, useLoaded } from '../live.ts'
import { useMayAct } from '../session.ts'
import { Badge, Card, Empty, Facts, Id, Loading, Money, Page, Problem, Table, Text, Time } from '../ui/basic.tsx'
import { Choices } from '../ui/choices.tsx'
import { priced } from '../priced.ts'
import { PriceSales, SalesOfPrices } from '../ui/price-sales.tsx'
import { count, isFree, pluralize, money, period, unitAmount } from '../words.ts'

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
          <Listing document={served.value.config} isAll={view === 'all'} />
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
            your project.
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

function Listing({ document, isAll }: { readonly document: BillingDocument; readonly isAll: boolean }) {
  const order = (product: ProductDocument) => product.ui?.sort_order ?? Number.MAX_SAFE_INTEGER
  const products = [...document.products].sort((a, b) => order(a) - order(b))
  return (
    <>
      {products.length === 0 ? (
        <Empty title="Customers see no product">
          <p>Every price is hidden. “Everything” shows them.</p>
        </Empty>
      ) : null}
      {products.map((product) => (
        <Product key={product.id} product={product} />
      ))}
      {isAll ? <Rest document={document} /> : null}
    </>
  )
}

function Product({ product }: { readonly product: ProductDocument }) {
  const { ui } = product
  const { prices = [] } = priced(product)
  const features = ui?.features ?? []
  const [image] = (product.images ?? []).filter((address) => /^https:\/\//i.test(address))
  return (
    <Card>
      <div className="product">
        <div className="product-head">
          <div className="row">
            {image === undefined ? null : <img src={image} alt="" loading="lazy" referrerPolicy="no-referrer" />}
            <h2>
              <Text>{ui?.display_name ?? product.name}</Text>
            </h2>
            {ui?.badge === undefined ? null : (
              <Badge tone="accent">
                <Text>{ui.badge}</Text>
              </Badge>
            )}
            {ui?.highlighted === true ? <Badge tone="note">highlighted</Badge> : null}
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
        {features.length === 0 ? null : (
          <ul className="small features">
            {features.map((feature, index) => (
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
              <PriceRow key={price.id} price={price} isDefault={price.default === true && prices.length > 1} />
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}

function PriceRow({ price, isDefault }: { readonly price: PriceDocument; readonly isDefault: boolean }) {
  const isHidden =
    price.public === false || price.enterprise_template !== undefined || price.enterprise_id !== undefined
  const others = Object.keys(price.currency_options ?? {})
  return (
    <li className={isHidden ? 'is-hidden' : undefined}>
      <div className="price-line">
        <div className="row">
          <Id>{price.id}</Id>
          {isDefault ? <Badge>default</Badge> : null}
          {price.usage_type === 'metered' ? (
            <Badge tone="note">
              metered by <Text>{price.meter ?? '?'}</Text>
            </Badge>
          ) : null}
          {price.enterprise_template === undefined ? null : (
            <Badge tone="warn">
              template <Text>{price.enterprise_template}</Text>
            </Badge>
          )}
          {price.enterprise_id === undefined ? null : (
            <Badge tone="warn">
              only for <Text>{price.enterprise_id}</Text>
            </Badge>
          )}
          {price.percent_off_base === undefined ? null : (
            <Badge>{count(Number(price.percent_off_base))} % off its base</Badge>
          )}
          {isHidden && price.enterprise_template === undefined && price.enterprise_id === undefined ? (
            <Badge tone="warn">hidden</Badge>
          ) : null}
        </div>
        <PriceMoney price={price} />
      </div>
      <PriceSales id={price.id} />
      {others.length === 0 ? null : (
        <p className="small quiet">Also offered in {others.map((currency) => currency.toUpperCase()).join(', ')}.</p>
      )}
      {price.tiers === undefined ? null : <Tiers price={price} tiers={price.tiers} />}
    </li>
  )
}

function PriceMoney({ price }: { readonly price: PriceDocument }) {
  const amount = unitAmount(price)
  if (price.tiers !== undefined)
    return (
      <p>
        <span className="price-money">{price.tiers_mode ?? 'graduated'} tiers</span>{' '}
        <span className="quiet">
          {price.currency.toUpperCase()} {period(price)}
        </span>
      </p>
    )
  if (amount === null) return <p className="price-money">the customer’s choice</p>
  const perPack =
    price.transform_quantity !== undefined
      ? `per ${count(price.transform_quantity.divide_by)}`
      : price.usage_type === 'metered'
        ? 'per unit'
        : ''
  const words = price.ui?.price_display?.custom_text
  if (words !== undefined && isFree(price))
    return (
      <p className="price-money">
        <Text>{words}</Text>
      </p>
    )
  return (
    <p>
      <span className="price-money">
        {isFree(price) ? 'Free' : <Money amount={amount} currency={price.currency} />}
      </span>{' '}
      <span className="quiet">
        {perPack} {isFree(price) && price.interval === undefined ? '' : period(price)}
      </span>
    </p>
  )
}

function Tiers({ price, tiers }: { readonly price: PriceDocument; readonly tiers: readonly TierDocument[] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Table
        caption={`Tiers of ${price.id}`}
        columns={['Units', { name: 'Each', isNumber: true }, { name: 'Once', isNumber: true }]}
        rows={tiers.map((tier, index) => ({
          key: String(index),
          cells: [
            unitsOf(tiers, index),
            <Money amount={tier.unit_amount_decimal ?? tier.unit_amount ?? 0} currency={price.currency} />,
            (tier.flat_amount_decimal ?? tier.flat_amount) === undefined ? (
              '—'
            ) : (
              <Money amount={tier.flat_amount_decimal ?? tier.flat_amount ?? 0} currency={price.currency} />
            ),
          ],
        }))}
      />
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>What does a quantity cost?</summary>
        {isOpen ? (
          <div className="stack details-body">
            <CostChart price={price} />
            <Calculator price={price} />
          </div>
        ) : null}
      </details>
    </>
  )
}

function unitsOf(tiers: readonly TierDocument[], index: number): string {
  const before = tiers[index - 1]?.up_to
  const from = typeof before === 'number' ? before + 1 : 1
  const { up_to: end } = tiers[index] ?? {}
  return end === 'inf' ? `${count(from)} and more` : `${count(from)} – ${count(Number(end))}`
}

function Calculator({ price }: { readonly price: PriceDocument }) {
  const [text, setText] = useState('')
  const id = useId()
  const cost = useAct((quantity: number) => api.billing.calculate(price.id, quantity))
  return (
    <form
      className="stack-small"
      onSubmit={(event) => {
        event.preventDefault()
        void cost.run(Number(text))
      }}
    >
      <div className="row row-end">
        <label className="field" htmlFor={id}>
          <span className="field-label">Quantity</span>
          <input
            id={id}
            className="input"
            inputMode="numeric"
            pattern="\d+"
            required
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <button type="submit" className="button" disabled={cost.isRunning}>
          Calculate
        </button>
      </div>
      <div aria-live="polite">
        {cost.value === undefined ? null : (
          <p>
            {pluralize(cost.value.quantity, 'unit')} cost{' '}
            <b className="money">{money(cost.value.amount, cost.value.currency)}</b>
            {cost.value.effectiveUnitAmount === null ? null : (
              <span className="quiet"> ({money(cost.value.effectiveUnitAmount, cost.value.currency)} each)</span>
            )}
          </p>
        )}
      </div>
      {cost.error === null ? null : <Problem error={cost.error} />}
    </form>
  )
}

/** Renders a card with a table. Renders nothing if the table has no rows. */
const TableCard = (table: ComponentProps<typeof Table>) =>
  table.rows.length === 0 ? null : (
    <Card title={table.caption} isFlush>
      <Table {...table} />
    </Card>
  )

/** Renders the items that no customer sees: meters, coupons and promotion codes. */
function Rest({ document }: { readonly document: BillingDocument }) {
  const { meters = [], coupons = [], promotion_codes: codes = [] } = document
  return (
    <>
      <TableCard
        caption="Meters"
        columns={['Meter', 'Name', 'Event', 'Adds up by']}
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
              `${count(coupon.percent_off)} %`
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
