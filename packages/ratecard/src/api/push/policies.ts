// Operations on policies: rules that every change of prices must keep.
import { Type } from 'typebox'
import { ruleNames, severities } from '../../document/schema/policies/policy-rules.ts'
import { By, Pagination, ResourceKind } from '../notation/common.ts'
import { actorHeaders, operations, pageQuery } from '../notation/operation.ts'
import {
  AnyObject,
  AnyValue,
  asWritten,
  closed,
  Count,
  nullable,
  shape,
  Time,
  type Inside,
} from '../notation/schema.ts'

const PolicyRule = Type.Enum(ruleNames, { description: 'Name of the rule, which determines what is checked.' })
const Severity = Type.Enum([...severities], {
  description: '`deny`: a change that breaks the rule is refused. `warn`: it only causes a warning.',
})

export const Violation = shape(
  'Violation',
  {
    id: Type.String({ description: 'Id of the policy.' }),
    rule: PolicyRule,
    severity: Severity,
    kind: nullable(ResourceKind),
    config_id: nullable(
      Type.String({
        description: 'Configuration id that breaks the rule; null if the rule concerns the whole change.',
      }),
    ),
    detail: Type.String({ description: 'Explanation of what breaks the rule.' }),
    reason: nullable(Type.String({ description: 'Reason for the rule.' })),
  },
  'A policy that a change breaks.',
)

const rules = asWritten(
  Type.Array(
    Type.Object(
      {
        id: Type.String(),
        rule: PolicyRule,
        value: Type.Optional(AnyValue('The limit; its form depends on the rule.')),
        severity: Severity,
        reason: Type.Optional(Type.String()),
        except: Type.Optional(Type.Array(Type.String())),
        environments: Type.Optional(Type.Array(Type.String())),
      },
      closed,
    ),
    { description: 'The rules, as `ratecard/policies.json` has them.' },
  ),
)
const set = {
  author: nullable(Type.String()),
  by: nullable(By),
  message: nullable(Type.String()),
}

export const PolicySet = shape('PolicySet', {
  number: Count('Number of the change: 1, 2, 3 …; 0 before the first.'),
  rules,
  environment: nullable(
    Type.String({ description: 'Environment of the server; null if it is unknown, and then every rule applies.' }),
  ),
  created_at: nullable(Time('Time at which the rules were set.')),
  ...set,
})
export type PolicySet = Inside<typeof PolicySet>

export const PolicyHistory = shape('PolicyHistory', {
  ...PolicySet.properties,
  history: Type.Array(
    Type.Object(
      { number: Count('Number of the change.'), rules, created_at: Time('Time at which the rules were set.'), ...set },
      closed,
    ),
    { description: 'Every change, newest first.' },
  ),
  pagination: Pagination,
})

export type PolicyHistory = Omit<Inside<typeof PolicyHistory>, 'pagination'> & { readonly total: number }

const path = '/api/v1/billing/admin/policies'
const all = { tag: 'Policies', access: 'service_key', path } as const

export const policyOperations = operations({
  getPolicies: {
    ...all,
    scope: 'read',
    method: 'GET',
    summary: 'Get the policies, and all changes of them',
    query: pageQuery,
    answers: { 200: { description: 'The rules in force, and a page of their history.', schema: PolicyHistory } },
  },
  putPolicies: {
    ...all,
    scope: 'owner',
    method: 'PUT',
    summary: 'Replace the policies',
    description: 'The body is the content of `ratecard/policies.json`. Sending the same rules again changes nothing.',
    headers: actorHeaders,
    body: AnyObject,
    bodyLimit: 1024 * 1024,
    answers: { 200: { description: 'The rules in force from now on.', schema: PolicySet } },
    errors: ['policies_invalid'],
  },
})
