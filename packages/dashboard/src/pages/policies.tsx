// Policies page: the rules that every change of prices must keep, and who set them.
import type { PolicyHistory, PolicySet } from '@ratecard/client'
import { api } from '../api.ts'
import { useCatalog } from '../frame/catalog.ts'
import { useLoaded } from '../frame/live.ts'
import { Badge, Card, Empty, Page, Show, Time, Who } from '../ui/basic.tsx'
import { Named, nameOfPrice, nameOfProduct } from '../ui/named.tsx'
import { Id, Text } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import { ruleWords } from '../words/policy-words.ts'
import { pluralize } from '../words/words.ts'

type Rule = PolicySet['rules'][number]

export function Policies() {
  const policies = useLoaded('policies', (signal) => api.admin.policies({ limit: 20, signal }))
  return (
    <Page title="Policies" lead="Rules that every plan, push, rollback, migration and deal must keep.">
      <Show of={policies} what="Policies">
        {(found) => (
          <>
            {found.rules.length === 0 ? (
              <Empty title="No policies">
                <p>
                  Write rules to <code>ratecard/policies.json</code>, e.g. the largest rise of a price, and run{' '}
                  <code>ratecard policies push</code> with a key of scope “owner”.
                </p>
              </Empty>
            ) : (
              <Rules of={found} />
            )}
            {found.history.length === 0 ? null : <Changes of={found} />}
          </>
        )}
      </Show>
    </Page>
  )
}

function Rules({ of: { rules, environment } }: { readonly of: PolicyHistory }) {
  const hasExceptions = rules.some(({ except }) => except !== undefined)
  return (
    <>
      <p className="small quiet">
        A denied change is refused. A key of scope “owner” can override the rule with a reason, which the history shows.
        To change the rules, edit <code>ratecard/policies.json</code> and run <code>ratecard policies push</code> with
        such a key.
      </p>
      <Card isFlush>
        <Table
          caption="Policies"
          columns={[
            'Rule',
            'If broken',
            { name: 'Requirement', isLong: true },
            'Why',
            ...(hasExceptions ? ['Except'] : []),
          ]}
          rows={rules.map((rule) => ({
            key: rule.id,
            cells: [
              <Id>{rule.id}</Id>,
              <Badge tone={rule.severity === 'deny' ? 'bad' : 'warn'}>
                {rule.severity === 'deny' ? 'denied' : 'warned'}
              </Badge>,
              <>
                <Text>{ruleWords(rule)}</Text>
                <Where rule={rule} environment={environment} />
              </>,
              rule.reason === undefined ? '—' : <Text>{rule.reason}</Text>,
              ...(hasExceptions ? [rule.except === undefined ? '—' : <Excepted key="except" ids={rule.except} />] : []),
            ],
          }))}
        />
      </Card>
    </>
  )
}

/** Lists the prices and products that a rule leaves out. */
function Excepted({ ids }: { readonly ids: readonly string[] }) {
  const catalog = useCatalog()
  return ids.map((id) => (
    <span key={id} className="block">
      <Named id={id} name={nameOfPrice(catalog, id) ?? nameOfProduct(catalog, id)} />
    </span>
  ))
}

/** Renders the environments in which a rule holds, if it does not hold in all. */
function Where({ rule, environment }: { readonly rule: Rule; readonly environment: string | null }) {
  if (rule.environments === undefined) return null
  const holdsHere = environment !== null && rule.environments.includes(environment)
  return (
    <span className="small quiet block">
      Only in <Text>{rule.environments.join(', ')}</Text>.{' '}
      {holdsHere ? null : <>This service is {environment === null ? 'in none of them' : <Text>{environment}</Text>}.</>}
    </span>
  )
}

const Changes = ({ of: { history } }: { readonly of: PolicyHistory }) => (
  <Card title="Changes of the policies" isFlush>
    <Table
      caption="Changes of the policies"
      columns={['Change', 'Rules', 'Why', 'Who', 'When']}
      rows={history.map((one) => ({
        key: String(one.number),
        cells: [
          String(one.number),
          pluralize(one.rules.length, 'rule'),
          one.message === null ? '—' : <Text>{one.message}</Text>,
          <Who author={one.author} by={one.by} />,
          <Time at={one.createdAt} />,
        ],
      }))}
    />
  </Card>
)
