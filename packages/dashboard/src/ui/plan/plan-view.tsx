// A plan for approval: changes, affected subscribers, amounts and warnings.
import { useMemo, type ComponentProps, type ReactNode } from 'react'
import type { BillingDocument, PushOutcome } from '@ratecard/client'
import { changeWords } from '../../../../ratecard/src/base/wording/change-words.ts'
import { Chart } from '../../charts/chart.tsx'
import { impactMoney } from '../../amounts/impact.ts'
import { pricesById } from '../../amounts/price-change.ts'
import { CatalogContext, catalogOf, useCatalog, type Catalog } from '../../frame/catalog.ts'
import { axisMoney, count, pluralize, money } from '../../words/words.ts'
import { Badge, Facts, IssueList } from '../basic.tsx'
import { Id } from '../text.tsx'
import { Table } from '../table.tsx'
import { NamedPrice, NamedTenant, nameOfPrice } from '../named.tsx'
import { Changes, changesText } from './changes.tsx'
import { Violations } from './violations.tsx'
import { WhichAccount } from '../which-account.tsx'

interface PlanViewProps {
  readonly outcome: PushOutcome
  /** The planned document, for the amounts of changed prices. */
  readonly document: BillingDocument | null
  /** Adds the file and line to the issues of the service. */
  readonly place?: (issues: PushOutcome['warnings']) => ComponentProps<typeof IssueList>['issues']
  /** Buttons below the warnings. */
  readonly acts?: ReactNode
}

export function PlanView({ outcome, document, place = (issues) => issues, acts }: PlanViewProps) {
  const prices = useMemo(() => pricesById(document), [document])
  const served = useCatalog()
  const names = useMemo(() => namesIn(served, document), [served, document])
  const { details, warnings, impact, writes, version, plan, summary, violations } = outcome
  return (
    <CatalogContext value={names}>
      <div className="stack">
        <p>
          <b>{summary}</b>
        </p>
        <Violations of={violations} />
        <Facts
          rows={[
            ['Account', <WhichAccount key="account" />],
            ['Version', version],
            ['Changes', changesText(details, 'todo')],
            ['Writes at the processor', count(writes)],
            ['Fingerprint', <code key="plan">{plan.slice(0, 12)}</code>],
          ]}
        />
        {impact.length === 0 ? null : <Impact impact={impact} who={outcome.who} />}
        {warnings.length === 0 ? null : (
          <div className="alert alert-warning">
            <p>
              <b>{pluralize(warnings.length, 'warning')}</b>
            </p>
            {/* Without the lines around each place, so that the changes below stay in sight. */}
            <IssueList issues={place(warnings).map(({ frame: _frame, ...issue }) => issue)} />
            <div className="actions">{acts}</div>
          </div>
        )}
        <section className="stack-small">
          <h3>What changes</h3>
          <Changes changes={details} prices={prices} tense="todo" />
        </section>
      </div>
    </CatalogContext>
  )
}

/** Returns the names of the planned document, and of what it removes. */
function namesIn(served: Catalog | null, document: BillingDocument | null): Catalog | null {
  if (document === null) return served
  const planned = catalogOf(document)
  return {
    ...planned,
    products: new Map([...(served?.products ?? []), ...planned.products]),
    prices: new Map([...(served?.prices ?? []), ...planned.prices]),
  }
}

/** Renders whom a plan, or a revision's plan when it was applied, touches. Plans of older services do not name them. */
export function Impact({ impact, who = [] }: Pick<PushOutcome, 'impact'> & { readonly who?: PushOutcome['who'] }) {
  const sums = useMemo(() => impactMoney(impact), [impact])
  const currencies = [...new Set(sums.filter(({ after }) => after !== null).map(({ currency }) => currency))]
  const sold = impact.filter(({ subscriptions }) => subscriptions > 0)
  const unsold = impact.length - sold.length
  if (sold.length === 0)
    return (
      <section className="stack-small">
        <h3>Affected subscribers</h3>
        <p>
          There are no subscriptions to {unsold === 1 ? 'the changed price' : `the ${count(unsold)} changed prices`}.
        </p>
      </section>
    )
  return (
    <section className="stack-small">
      <h3>Affected subscribers</h3>
      <p className="small quiet">
        Live subscriptions to the changed prices, including earlier versions of them. They keep their price until you
        move them. “Before” is what they pay per month, less discounts that last; “After” is that at the new price.
      </p>
      <Table
        caption="Impact"
        columns={[
          'Price',
          '',
          { name: 'Subscriptions', isNumber: true },
          { name: 'Tenants', isNumber: true },
          { name: 'Per month, before', isNumber: true },
          { name: 'After', isNumber: true },
        ]}
        rows={sold.map((one) => {
          const own = sums.filter(({ priceId }) => priceId === one.priceId)
          return {
            key: one.processorPriceId,
            cells: [
              <NamedPrice id={one.priceId} />,
              <Badge tone={one.action === 'archive' ? 'bad' : 'warn'}>{changeWords[one.action].todo}</Badge>,
              <Generations one={one} />,
              count(one.tenants),
              one.usageBased ? 'by usage' : lines(own.map(({ before, currency }) => money(before, currency))),
              one.usageBased
                ? 'by usage'
                : lines(own.map(({ after, currency }) => (after === null ? '—' : money(after, currency)))),
            ],
          }
        })}
      />
      {unsold === 0 ? null : <p className="small quiet">And {pluralize(unsold, 'price')} without subscribers.</p>}
      {who.length === 0 ? null : <WhoPays who={who} />}
      {currencies.map((currency) => {
        const own = sums.filter((sum) => sum.currency === currency && sum.after !== null)
        // One pair of bars, or pairs of equal ones, say no more than the table.
        const isTelling = own.length > 1 && own.some(({ before, after }) => before !== after)
        return isTelling ? <ImpactChart key={currency} currency={currency} sums={own} /> : null
      })}
    </section>
  )
}

/** Lists the subscribers whose monthly amount changes most. The link of a price leads to all subscribers of that price. */
function WhoPays({ who }: Pick<PushOutcome, 'who'>) {
  return (
    <details open={who.length <= 10}>
      <summary>Whose price changes most</summary>
      <Table
        caption="Whose price changes most"
        columns={['Who', 'Price', { name: 'Per month, before', isNumber: true }, { name: 'After', isNumber: true }]}
        rows={who.map((one) => ({
          key: `${one.subscription} ${one.priceId}`,
          cells: [
            one.tenantId === null ? <Id>{one.customer}</Id> : <NamedTenant id={one.tenantId} name={one.name} />,
            <NamedPrice id={one.priceId} />,
            money(one.before, one.currency),
            money(one.after, one.currency),
          ],
        }))}
      />
    </details>
  )
}

/** Renders the number of subscriptions on all processor prices (generations) of a price, and below it the number on each former one. */
function Generations({ one: { subscriptions, generations } }: { readonly one: PushOutcome['impact'][number] }) {
  const earlier = generations.filter(({ current, subscriptions: own }) => !current && own > 0)
  return (
    <>
      {count(subscriptions)}
      {earlier.map(({ processorPriceId, subscriptions: own, formatted }) => (
        <div key={processorPriceId} className="small quiet">
          {count(own)} on an earlier price{formatted === null ? '' : ` of ${formatted}`}
        </div>
      ))}
    </>
  )
}

const lines = (texts: readonly string[]) =>
  texts.length === 0 ? '—' : texts.map((text) => <div key={text}>{text}</div>)

interface ImpactChartProps {
  readonly currency: string
  readonly sums: ReturnType<typeof impactMoney>
}

function ImpactChart({ currency, sums }: ImpactChartProps) {
  const catalog = useCatalog()
  const xs = useMemo(() => sums.map((_, index) => index), [sums])
  const series = useMemo(
    () => [
      { label: 'Before', values: sums.map(({ before }) => before), color: 'note' },
      { label: 'After', values: sums.map(({ after }) => after), color: 'accent' },
    ],
    [sums],
  )
  return (
    <figure>
      <figcaption className="small quiet">Monthly amount in {currency.toUpperCase()}, before and after</figcaption>
      <Chart
        xs={xs}
        series={series}
        kind="bar"
        height={200}
        xName="Price"
        yName={`A month (${currency.toUpperCase()})`}
        sayX={(value) => nameOfPrice(catalog, sums[value]?.priceId ?? '') ?? sums[value]?.priceId ?? ''}
        sayY={(value) => money(Math.round(value), currency)}
        tickY={(value) => axisMoney(value, currency)}
      />
    </figure>
  )
}
