// Words for jobs, the same in the terminal and in the dashboard: the name of a job, and a sentence for each of its steps. Steps are read in
// the form in which the journal stores them.

type JsonRecord = Readonly<Record<string, unknown>>

/** Names of jobs by kind. */
export const jobWords = {
  enterprise_apply: 'deal of a tenant',
  subscription_change: 'change of a subscription',
  subscription_discount: 'discount of a tenant',
  credit_grant: 'credit of a tenant',
  template_move: 'deal of a template',
  migration: 'move to a new price',
  webhook_rotation: 'rotation of a secret',
} as const

interface Step {
  readonly state: string
  readonly tenantName: string | null
  readonly step: JsonRecord
  readonly result: JsonRecord | null
  readonly error: JsonRecord | null
}

interface Context {
  /** The job of the step. */
  readonly job: { readonly kind: string; readonly state: string; readonly resumesAt: string | null }
  /** Formats a time, e.g. as `2026-12-03 09:00 UTC`. */
  readonly time: (rfc3339: string) => string
}

/** Returns sentences about a step: what it did, or what it will do. */
export function stepSentences({ state, tenantName, step, result, error }: Step, context: Context): readonly string[] {
  const who = subjectOf(step, tenantName)
  switch (state) {
    case 'succeeded':
      return doneSentences(who, result ?? step, step, context)
    case 'failed':
      return [`${who} was refused: ${reasonOf(error)}.`]
    case 'skipped':
      return [`${who} stays as it is: ${text(result?.['reason'])?.replace(/\.$/, '') ?? 'no reason is recorded'}.`]
    case 'unknown':
    case 'begun':
      return [`${who}: the outcome is not known yet. It is looked up when the job continues.`]
    default:
      return [plannedSentence(who, step, context)]
  }
}

/** Returns what a step is about: `Lumen Press (acme), sub_1`, `cus_1, sub_2`, `shop`. */
function subjectOf(step: JsonRecord, tenantName: string | null): string {
  const payer = text(step['tenant_id'] ?? step['customer'])
  const named = payer === null || tenantName === null || tenantName === payer ? payer : `${tenantName} (${payer})`
  return [named, text(step['subscription']), text(step['webhook_id'])].filter((name) => name !== null).join(', ')
}

/** Operations of steps that change one subscription or one webhook: the sentence before and after the step. */
const operations: Readonly<Record<string, { readonly todo: string; readonly done: string }>> = {
  create: {
    todo: 'a new endpoint with a new secret will be created',
    done: 'a new endpoint with a new secret was created',
  },
  switch_off: { todo: 'the old endpoint will be switched off', done: 'the old endpoint was switched off' },
  update: { todo: 'the items will be changed', done: 'the items were changed' },
  schedule: { todo: 'a later change will be scheduled', done: 'a later change was scheduled' },
  settings: { todo: 'its end or pause will be changed', done: 'its end or pause was changed' },
  release: { todo: 'the scheduled change will be dropped', done: 'the scheduled change was dropped' },
  void: { todo: 'the open invoice will be voided', done: 'the open invoice was voided' },
  cancel: { todo: 'it will be cancelled', done: 'it was cancelled' },
  resume: { todo: 'it will be resumed', done: 'it was resumed' },
}

const operationOf = ({ op }: JsonRecord) => (typeof op === 'string' ? operations[op] : undefined)

function plannedSentence(who: string, step: JsonRecord, { job, time }: Context): string {
  const operation = operationOf(step)
  // A waiting job of another kind runs its remaining steps at `resumesAt`. A waiting change of a subscription never does: it waits until its
  // invoice is paid or void, and then ends, or puts the released schedule back. So its remaining steps are shown as not done.
  const isWaiting = job.state === 'waiting' && job.kind !== 'subscription_change'
  if (job.state !== 'running' && !isWaiting)
    return operation === undefined
      ? `${who} was not done.`
      : `${who}: ${operation.done.replace(/\b(was|were)\b/, '$1 not')}.`
  const at = isWaiting && job.resumesAt !== null ? time(job.resumesAt) : null
  if (operation === undefined)
    return at === null ? `${who} has not been done.` : `${who} waits: the job goes on at ${at}.`
  return at === null ? `${who}: ${operation.todo}.` : `${who}: ${operation.todo} when the job goes on, at ${at}.`
}

function doneSentences(who: string, record: JsonRecord, step: JsonRecord, context: Context): readonly string[] {
  const { swaps, credit_grant: credit } = record
  const operation = operationOf(step)
  if (typeof credit === 'string') return [`${text(step['customer']) ?? '?'}: the credit ${credit} was granted.`]
  if (isRecord(record['payment'])) {
    const invoice = text(record['payment']['invoice'])
    return [`${who}: the change depends on its payment; it is made when the invoice ${invoice ?? ''} is paid.`]
  }
  if (operation !== undefined) return [`${who}: ${operation.done}.`]
  if ('keep' in step) return [`${who}: ${discountText(step)}.`]
  if (Array.isArray(swaps)) {
    const moved = swaps.filter(isRecord)
    if (moved.length === 0) return [`${who}: nothing had to be changed.`]
    return moved.map(
      (swap) =>
        `${who}, ${text(swap['subscription']) ?? ''}: price "${text(swap['from']) ?? '?'}" became "${text(swap['to']) ?? '?'}"${when(swap, context)}.`,
    )
  }
  const items = Array.isArray(record['items']) ? record['items'].filter(isRecord) : []
  if (items.length === 0) return [`${who} is done.`]
  return items.map((item) => {
    const { from_processor_id: before, to_processor_id: after, quantity } = item
    const many = typeof quantity === 'number' && quantity !== 1 ? ` × ${String(quantity)}` : ''
    const [from, to] = [text(item['from']) ?? '?', text(item['to']) ?? '?']
    // Within one price of the document only the ids at the processor tell what changed.
    const prices =
      from === to
        ? `price "${from}"${many} went from ${text(before) ?? '?'} to ${text(after) ?? '?'}`
        : `price "${from}"${many} became "${to}"`
    return `${who}: ${prices}${when(record, context)}.`
  })
}

function discountText({ add, remove }: JsonRecord): string {
  const named = (given: unknown) => {
    const one = isRecord(given) ? given : {}
    return text(one['promotion_code']) ?? text(one['coupon']) ?? '?'
  }
  const parts = [
    ...(isRecord(add) ? [`the discount ${named(add)} was added`] : []),
    ...(isRecord(remove) ? [`the discount ${named(remove)} was removed`] : []),
  ]
  return parts.length === 0 ? 'nothing had to be changed' : parts.join(', ')
}

function when(record: JsonRecord, { time }: Context): string {
  const at = text(record['effective_at'])
  if (at !== null) return `, from ${time(at)} on`
  return record['effective'] === 'period_end' ? ', when the period ends' : ', billed from the renewal on'
}

function reasonOf(error: JsonRecord | null): string {
  return (text(error?.['detail']) ?? text(error?.['message']) ?? 'no reason is recorded').replace(/\.$/, '')
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
