// Overview page: revenue, open debts, changes of the last pushes, and problems that the checks found.
import { useEffect, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { CurrencyMoney, Money, MoneyDays } from '@ratecard/client'
import { api } from '../api.ts'
import { noteMoney, useKnownFindings } from '../frame/attention.ts'
import { MovementsChart, RevenueChart } from '../charts/money-chart.tsx'
import { useHasNoCatalog } from '../frame/catalog.ts'
import { useLoaded } from '../frame/live.ts'
import { useOutage } from '../frame/outage.ts'
import { Card, Page, Show, Time } from '../ui/basic.tsx'
import { Text } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import { checkName, FindingBadge, FindingText, needsAction } from '../ui/findings.tsx'
import { FirstSteps } from '../ui/first-steps.tsx'
import { Choices } from '../ui/choices.tsx'
import { Headline } from '../ui/plan/headline.tsx'
import { NamedProduct } from '../ui/named.tsx'
import { AsOf, mirrorReload, ShowMirrored } from '../ui/tenant/mirrored.tsx'
import { count, money, pluralize } from '../words/words.ts'
import { examine } from './health.tsx'

interface Overviewed {
  readonly now: Money
  readonly days: MoneyDays
}

export function Overview() {
  const isEmpty = useHasNoCatalog()
  const state = useLoaded<Overviewed>(
    'overview',
    async (signal) => {
      const [now, days] = await Promise.all([api.money.now({ signal }), api.money.days({ signal })])
      return { now, days }
    },
    mirrorReload,
  )
  useEffect(() => {
    if (state.value !== undefined) noteMoney(state.value.now)
  }, [state.value])
  return (
    <Page title="Overview" lead="Open problems, monthly revenue and unpaid amounts.">
      <Wrong />
      {isEmpty ? <FirstSteps /> : null}
      <ShowMirrored of={state} what="Revenue">
        {({ now, days }) => (
          <>
            <AsOf of={now} />
            {now.currencies.length === 0 && !isEmpty ? <FirstSteps /> : null}
            <Revenue now={now} days={days} />
            <Pushes now={now} days={days} />
          </>
        )}
      </ShowMirrored>
    </Page>
  )
}

interface CurrencyProps {
  readonly of: CurrencyMoney
  readonly days: MoneyDays
  /** Whether the account has no other currency. */
  readonly isOnly: boolean
}

/** One card for all currencies: the one with the most subscriptions first, the others by a switch. */
function Revenue({ now: { currencies }, days }: Overviewed) {
  const largest = currencies.toSorted((one, other) => other.subscriptions - one.subscriptions)
  const [chosen, setChosen] = useState<string | null>(null)
  const of = largest.find(({ currency }) => currency === chosen) ?? largest[0]
  if (of === undefined) return null
  const names = Object.fromEntries(largest.map(({ currency }) => [currency, currency.toUpperCase()]))
  return (
    <Card
      title={`Revenue in ${of.currency.toUpperCase()}`}
      aside={
        largest.length < 2 ? undefined : (
          <Choices name="Currency" options={names} value={of.currency} onChange={setChosen} />
        )
      }
    >
      <Currency key={of.currency} of={of} days={days} isOnly={largest.length < 2} />
    </Card>
  )
}

function Currency({ of, days, isOnly }: CurrencyProps) {
  const own = days.days.filter(({ currency }) => currency === of.currency)
  return (
    <>
      <Tiles of={of} isOnly={isOnly} />
      <div className="stack">
        {own.length < 2 ? (
          <p className="quiet">The chart appears after two full days (UTC).</p>
        ) : (
          <>
            <RevenueChart days={own} pushes={days.pushes} currency={of.currency} />
            <MovementsChart days={own} currency={of.currency} />
          </>
        )}
        <Mix of={of} />
      </div>
    </>
  )
}

/** Renders the revenue by product, the largest first. */
function Mix({ of: { byProduct, mrr, currency } }: { readonly of: CurrencyMoney }) {
  const whole = Number(mrr)
  if (byProduct.length === 0 || whole === 0) return null
  return (
    <section className="stack-small">
      <h3>Revenue by product</h3>
      <Table
        caption={`Revenue by product in ${currency.toUpperCase()}`}
        columns={['Product', 'Share', { name: 'MRR', isNumber: true }, { name: 'Subscriptions', isNumber: true }]}
        rows={[...byProduct]
          .sort((one, other) => Number(other.mrr) - Number(one.mrr))
          .map((product) => ({
            key: product.productId ?? '',
            cells: [
              product.productId === null ? (
                'products that Ratecard does not manage'
              ) : (
                <NamedProduct id={product.productId} />
              ),
              <span className="share">
                <progress className="progress" aria-hidden="true" max={whole} value={Number(product.mrr)} />
                {`${String(Math.round((Number(product.mrr) / whole) * 100))}%`}
              </span>,
              product.formatted,
              count(product.subscriptions),
            ],
          }))}
      />
    </section>
  )
}

/** Returns the number of subscriptions that are not on the current version of their price. */
const onEarlierPrice = ({ byPrice }: CurrencyMoney) =>
  byPrice.reduce((sum, { legacy }) => sum + legacy.subscriptions, 0)

function Tiles({ of, isOnly }: Pick<CurrencyProps, 'of' | 'isOnly'>) {
  // The list of tenants has no filter by currency.
  const all = isOnly ? '' : ', in all currencies'
  const { last30Days: moved } = of
  const tiles: readonly (readonly [string, string, ReactNode])[] = [
    ['MRR', of.formatted, pluralize(of.subscriptions, 'subscription')],
    [
      'Last 30 days',
      moved.net.startsWith('-') ? moved.netFormatted.replace('-', '−') : `+${moved.netFormatted}`,
      moved.churn === '0' ? `${moved.newFormatted} new` : `${moved.newFormatted} new, ${moved.churnFormatted} churned`,
    ],
    [
      'Past due',
      of.pastDue.formatted,
      of.pastDue.tenants === 0 ? (
        'No tenant is past due'
      ) : (
        <Link href="/tenants?owing">{pluralize(of.pastDue.tenants, 'tenant')}</Link>
      ),
    ],
    [
      'On an earlier price',
      count(onEarlierPrice(of)),
      onEarlierPrice(of) === 0 ? (
        'all tenants are on the current prices'
      ) : (
        <Link href="/tenants?legacy">Show who{all}</Link>
      ),
    ],
    ...(of.trialing === 0 ? [] : [['Trials', count(of.trialing), 'not in the MRR yet'] as const]),
    ...(of.usageLastPeriod === '0'
      ? []
      : [['Usage', of.usageLastPeriodFormatted, 'of the last finished periods, not in the MRR'] as const]),
    ...(of.writtenOff.amount === '0'
      ? []
      : [['Written off', of.writtenOff.formatted, pluralize(of.writtenOff.tenants, 'tenant')] as const]),
  ]
  return (
    <dl className="tiles">
      {tiles.map(([name, value, note]) => (
        <div key={name} className="tile">
          <dt>{name}</dt>
          <dd>
            <span className="tile-value">{value}</span>
            <span className="quiet small">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const mostPushes = 8

function Pushes({ now, days }: { readonly now: Money; readonly days: MoneyDays }) {
  const history = useLoaded('overview history', (signal) => api.admin.history({ limit: mostPushes, signal }))
  return (
    <Card title="Last changes of the price list" aside={<Link href="/history">History</Link>} isFlush>
      <Show of={history} what="The last changes">
        {({ versions }) =>
          versions.length === 0 ? (
            <p className="quiet card-words">No price list was applied yet.</p>
          ) : (
            <Table
              caption="Last changes and the revenue since"
              columns={[
                'Revision',
                { name: 'What', isLong: true },
                { name: 'Why', isExtra: true },
                'When',
                { name: 'MRR since', isNumber: true },
              ]}
              rows={versions.map((entry) => ({
                key: String(entry.revision),
                cells: [
                  <Link href={`/history/${String(entry.revision)}`}>{entry.revision}</Link>,
                  <Headline of={entry} />,
                  entry.message === null ? '—' : <Text>{entry.message}</Text>,
                  <Time at={entry.createdAt} isDay />,
                  <Since at={entry.createdAt} now={now} days={days} />,
                ],
              }))}
            />
          )
        }
      </Show>
    </Card>
  )
}

/** Renders the change of the MRR (monthly recurring revenue) in each currency from the day before a push to now. */
function Since({ at, now, days }: { readonly at: string; readonly now: Money; readonly days: MoneyDays }) {
  const changes = now.currencies.flatMap(({ currency, mrr }) => {
    const before = days.days.findLast((day) => day.currency === currency && day.day < at.slice(0, 10))
    if (before === undefined) return []
    const change = Math.round(Number(mrr) - Number(before.mrr))
    return [`${change >= 0 ? '+' : '−'}${money(Math.abs(change), currency)}`]
  })
  if (changes.length === 0) return '—'
  return <span className="money">{changes.join(', ')}</span>
}

/** Age (seconds) up to which the findings of an earlier run are shown, e.g. of the run that the numbers in the menu have just caused. */
const maxFindingsAge = 60

/** Renders the findings of the service that need an action by the user. */
function Wrong() {
  const outage = useOutage()
  const examined = useLoaded('doctor', (signal) => examine(signal, maxFindingsAge), { isLive: false })
  // The findings of an earlier run are there at once. A run can take seconds, and its findings would move the page.
  const known = useKnownFindings()
  const findings = examined.value === undefined && known !== null ? { ...examined, value: known } : examined
  return (
    <Card title="Open problems" aside={<Link href="/health">Health</Link>}>
      {findings.value === undefined && findings.error === null ? (
        // As high as the answer of a service without problems, so that the page does not move.
        <p className="loading quiet" role="status">
          Examining …
        </p>
      ) : (
        <Show of={findings} what="The checks">
          {(list) => {
            // The banner above the page tells an outage of the processor.
            const wrong = list.filter((one) => needsAction(one) && (outage === null || one.check !== 'processor'))
            if (wrong.length === 0)
              return <p>{outage === null ? 'None: all checks passed.' : 'None besides the outage.'}</p>
            return (
              <ul className="plain-list stack">
                {wrong.map((finding) => (
                  <li key={finding.check}>
                    <p>
                      <FindingBadge of={finding} /> <b>{checkName(finding.check)}</b>
                    </p>
                    <FindingText of={finding} />
                  </li>
                ))}
              </ul>
            )
          }}
        </Show>
      )}
    </Card>
  )
}
