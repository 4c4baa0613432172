// Overview page: revenue, open debts, changes of the last pushes, and problems that the checks found.
import { useEffect, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { CurrencyMoney, Money, MoneyDays } from '@ratecard/client'
import { api } from '../api.ts'
import { noteMoney } from '../frame/attention.ts'
import { MovementsChart, RevenueChart } from '../charts/money-chart.tsx'
import { useLoaded } from '../frame/live.ts'
import { useOutage } from '../frame/outage.ts'
import { Card, Empty, Id, Page, Show, Table, Text, Time } from '../ui/basic.tsx'
import { checkName, FindingBadge, FindingText, needsAction } from '../ui/findings.tsx'
import { AsOf, mirrorReload, ShowMirrored } from '../ui/tenant/mirrored.tsx'
import { count, money, pluralize } from '../words/words.ts'
import { examine } from './health.tsx'

interface Overviewed {
  readonly now: Money
  readonly days: MoneyDays
}

export function Overview() {
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
      <ShowMirrored of={state} what="Revenue">
        {({ now, days }) => (
          <>
            <AsOf of={now} />
            {now.currencies.length === 0 ? (
              <Empty title="No subscriptions yet">
                <p>
                  Revenue appears here after the first sale of a recurring price.
                  {days.pushes.length > 0 ? null : (
                    <>
                      {' '}
                      Push your price list on the <Link href="/plan">Plan</Link> page.
                    </>
                  )}
                </p>
              </Empty>
            ) : null}
            {now.currencies.map((one) => (
              <Currency key={one.currency} of={one} days={days} isOnly={now.currencies.length === 1} />
            ))}
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

function Currency({ of, days, isOnly }: CurrencyProps) {
  const own = days.days.filter(({ currency }) => currency === of.currency)
  return (
    <Card title={`Revenue in ${of.currency.toUpperCase()}`}>
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
    </Card>
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
              product.productId === null ? 'products that Ratecard does not manage' : <Id>{product.productId}</Id>,
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
  const pushes = days.pushes.slice(-mostPushes).reverse()
  return (
    <Card title="Last pushes" aside={<Link href="/history">History</Link>} isFlush>
      {pushes.length === 0 ? (
        <p className="quiet card-words">No price list was applied in the last 90 days.</p>
      ) : (
        <Table
          caption="Last pushes and the revenue since"
          columns={['Revision', 'When', 'By', { name: 'MRR since', isNumber: true }]}
          rows={pushes.map((push) => ({
            key: String(push.revision),
            cells: [
              <Link href={`/history/${String(push.revision)}`}>
                {push.revision}, version <Text>{push.version}</Text>
              </Link>,
              <Time at={push.at} />,
              push.by === null ? '—' : <Text>{push.by}</Text>,
              <Since at={push.at} now={now} days={days} />,
            ],
          }))}
        />
      )}
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
  const findings = useLoaded('doctor', (signal) => examine(signal, maxFindingsAge), { isLive: false })
  return (
    <Card title="Open problems" aside={<Link href="/health">Health</Link>}>
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
    </Card>
  )
}
