// Plan page: files are dropped or pasted, planned by the service, reviewed with their impact, and applied.
import { useEffect, useLayoutEffect, useId, useMemo, useRef, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { BillingDocument, PushOutcome } from '@ratecard/client'
import example from '../../../ratecard/templates/saas/ratecard/billing/subscriptions.json' with { type: 'json' }
import { api } from '../api.ts'
import { readDocument, type GivenFile, type ReadDocument } from '../dropped-files.ts'
import { useAct } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import {
  AllowanceButtons,
  AllowedNotes,
  approveAndPlanAgain,
  careful,
  needsApproval,
  type Allowances,
} from '../ui/tenant/allowances.tsx'
import { Card, IssueList, Page, Problem, Prose } from '../ui/basic.tsx'
import { Id } from '../ui/text.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { useActor } from '../ui/actor.tsx'
import { PlanView } from '../ui/plan/plan-view.tsx'
import { useOverride, Violations } from '../ui/plan/violations.tsx'
import { RecentPushes, UnfinishedPush } from '../ui/plan/recent-pushes.tsx'
import { pluralize } from '../words/words.ts'

export function Plan() {
  const isExample = new URLSearchParams(useSearch()).has('example')
  const [files, setFiles] = useState<readonly GivenFile[]>(isExample ? [exampleFile] : [])
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map())
  const [allowed, setAllowed] = useState(careful)
  const [isAsking, setAsking] = useState(false)
  const mayAct = useMayAct()
  const read = useMemo(() => (files.length === 0 ? null : readDocument(files, values)), [files, values])
  const plan = useAct(async (document: object, options: Allowances) => ({
    outcome: await api.admin.push(document, { dryRun: true, ...options }),
    options,
  }))
  const give = (given: readonly GivenFile[]) => {
    const names = new Set(given.map(({ path }) => path))
    setFiles([...files.filter(({ path }) => !names.has(path)), ...given])
    setAllowed(careful)
    plan.reset()
  }
  const document = read?.document ?? null
  const ask = (options: Allowances) => {
    setAllowed(options)
    if (document !== null) void plan.run(document, options)
  }
  useEffect(() => {
    if (isExample && document !== null) void plan.run(document, careful)
    // Only when the page is opened.
  }, [])
  const planned = plan.value?.outcome
  const result = useRef<HTMLDivElement>(null)
  // Moves the focus to the result of the plan. The button that was pressed may no longer exist, e.g. the button that approves the impact.
  useLayoutEffect(() => {
    if (plan.value !== undefined || plan.error !== null) result.current?.focus()
  }, [plan.value, plan.error])
  return (
    <Page
      title="Plan"
      lead="See what your files would change, and which subscribers they affect, before anything is written."
    >
      <UnfinishedPush />
      <Card title="Your files">
        <div className="stack">
          <Drop onGive={give} />
          {files.length === 0 ? null : (
            <FileList
              files={files}
              onRemove={(gone) => {
                setFiles(files.filter(({ path }) => path !== gone))
                plan.reset()
              }}
            />
          )}
          {read === null ? null : <Read read={read} values={values} onValues={setValues} />}
          {read === null ? null : (
            <div className="actions">
              <button
                type="button"
                className="button button-primary"
                disabled={read.document === null || plan.isRunning}
                onClick={() => ask(allowed)}
              >
                {plan.isRunning ? 'Planning …' : planned === undefined ? 'Show the plan' : 'Plan again'}
              </button>
            </div>
          )}
        </div>
      </Card>
      <div aria-live="polite" className="stack" ref={result} tabIndex={-1}>
        {plan.error === null || read === null ? null : (
          <PlanFailed error={plan.error} read={read} allowed={allowed} onAllow={ask} />
        )}
        {planned === undefined || read === null ? null : (
          <Planned
            outcome={planned}
            document={document}
            place={(issues) => read.place(issues)}
            mayAct={mayAct}
            allowed={plan.value?.options ?? careful}
            onAllow={ask}
            onApply={() => setAsking(true)}
          />
        )}
      </div>
      {isAsking && planned !== undefined && read !== null && document !== null ? (
        <Apply
          outcome={planned}
          read={read}
          document={document}
          allowed={plan.value?.options ?? careful}
          onPlanAgain={(options) => {
            setAsking(false)
            ask(options)
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
      <RecentPushes />
    </Page>
  )
}

/** The starter of `ratecard init`, for a first look at the sandbox. */
const exampleFile: GivenFile = { path: 'example.json', text: JSON.stringify(example, null, 2) }

/** Pasted text has no file name, so its first characters decide between JSONC and YAML. */
const pastedName = (text: string) => (/^\s*(?:\{|\/\/|\/\*)/.test(text) ? 'pasted.jsonc' : 'pasted.yaml')

function Drop({ onGive }: { readonly onGive: (files: readonly GivenFile[]) => void }) {
  const [isOver, setOver] = useState(false)
  const [text, setText] = useState('')
  const picker = useRef<HTMLInputElement>(null)
  const id = useId()
  const take = async (list: Iterable<File>) => {
    onGive(await Promise.all([...list].map(async (file) => ({ path: file.name, text: await file.text() }))))
  }
  return (
    <div
      className={isOver ? 'drop drop-over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void take(event.dataTransfer.files)
      }}
    >
      <p>
        Drop the files of <code>ratecard/billing</code> here, or{' '}
        <button type="button" className="button button-small" onClick={() => picker.current?.click()}>
          Choose files
        </button>
      </p>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept=".json,.jsonc,.yaml,.yml"
        aria-label="Configuration files"
        onChange={(event) => {
          void take(event.target.files ?? [])
          event.target.value = ''
        }}
      />
      <details className="wide">
        <summary>Paste text instead</summary>
        <div className="stack-small details-body">
          <label className="field" htmlFor={id}>
            <span className="field-label">A document as JSON or YAML</span>
            <textarea
              id={id}
              className="textarea"
              rows={8}
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <div className="actions">
            <button
              type="button"
              className="button"
              disabled={text.trim() === ''}
              onClick={() => onGive([{ path: pastedName(text), text }])}
            >
              Use this text
            </button>
          </div>
        </div>
      </details>
    </div>
  )
}

interface FileListProps {
  readonly files: readonly GivenFile[]
  readonly onRemove: (path: string) => void
}

const FileList = ({ files, onRemove }: FileListProps) => (
  <ul className="plain-list stack-small" aria-label="Files of this plan">
    {files.map(({ path, text }) => (
      <li key={path} className="row">
        <Id>{path}</Id>
        <span className="quiet small">{pluralize(text.split('\n').length, 'line')}</span>
        <button
          type="button"
          className="button button-small"
          aria-label={`Remove ${path}`}
          onClick={() => onRemove(path)}
        >
          Remove
        </button>
      </li>
    ))}
  </ul>
)

interface ReadProps {
  readonly read: ReadDocument
  readonly values: ReadonlyMap<string, string>
  readonly onValues: (values: ReadonlyMap<string, string>) => void
}

/** Renders the issues of the files, and the values of their variables. */
function Read({ read, values, onValues }: ReadProps) {
  const errors = read.issues.filter(({ severity }) => severity === 'error')
  const warnings = read.issues.filter(({ severity }) => severity === 'warning')
  const names = [...new Set([...read.unset, ...values.keys()])].sort()
  return (
    <>
      {errors.length === 0 ? null : (
        <div className="alert alert-problem" role="alert">
          <p>
            <b>Correct these errors before you plan</b>
          </p>
          <IssueList issues={errors} />
        </div>
      )}
      {warnings.length === 0 ? null : (
        <div className="alert alert-warning">
          <IssueList issues={warnings} />
        </div>
      )}
      {names.length === 0 ? null : (
        <fieldset className="plain-fieldset stack-small">
          <legend className="field-label">Variables of these files</legend>
          <p className="small quiet">
            The values stay on this page until you apply the plan. The history stores the source files with the names of
            the variables, not their values.
          </p>
          <div className="columns">
            {names.map((name) => (
              <Variable
                key={name}
                name={name}
                value={values.get(name) ?? ''}
                onChange={(value) => {
                  const next = new Map(values)
                  if (value === '') next.delete(name)
                  else next.set(name, value)
                  onValues(next)
                }}
              />
            ))}
          </div>
        </fieldset>
      )}
    </>
  )
}

interface VariableProps {
  readonly name: string
  readonly value: string
  readonly onChange: (value: string) => void
}

const isSecret = (name: string) => /(?:KEY|SECRET|TOKEN|PASSWORD)$/.test(name)

const Variable = ({ name, value, onChange }: VariableProps) => (
  <label className="field">
    <span className="field-label mono">{name}</span>
    <input
      className="input"
      type={isSecret(name) ? 'password' : 'text'}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </label>
)

interface PlanFailedProps {
  readonly error: NonNullable<ReturnType<typeof useAct>['error']>
  readonly read: ReadDocument
  readonly allowed: Allowances
  readonly onAllow: (allowed: Allowances) => void
}

/** Error of a plan. If the user can override the refusal (drift), a button does so and plans again. */
function PlanFailed({ error, read, allowed, onAllow }: PlanFailedProps) {
  // Warnings come with the plan, if there is one.
  const placed = read.place(error.errors.filter(({ severity }) => severity === 'error'))
  return (
    <div className="stack">
      {placed.length === 0 ? (
        <Problem error={error} />
      ) : (
        <div className="alert alert-problem" role="alert">
          <p>
            <b>
              <Prose>{error.message}</Prose>
            </b>
          </p>
          <IssueList issues={placed} />
          {error.requestId === null ? null : (
            <p className="small">
              <code>{error.code}</code> · request <code>{error.requestId}</code>
            </p>
          )}
        </div>
      )}
      <div className="actions">
        <AllowanceButtons of={[error, ...error.errors]} allowed={allowed} onAllow={onAllow} />
        {error.code === 'processor_drift' ? (
          <Link href="/drift" className="button">
            Show the drift
          </Link>
        ) : null}
      </div>
    </div>
  )
}

interface PlannedProps {
  readonly outcome: PushOutcome
  readonly document: object | null
  readonly place: ReadDocument['place']
  readonly mayAct: boolean
  /** What was allowed when this plan was made. */
  readonly allowed: Allowances
  readonly onAllow: (allowed: Allowances) => void
  readonly onApply: () => void
}

function Planned({ outcome, document, place, mayAct, allowed, onAllow, onApply }: PlannedProps) {
  const isNothing = outcome.status === 'unchanged' || (outcome.details.length === 0 && outcome.writes === 0)
  return (
    <Card
      title={isNothing ? 'Nothing to do' : 'The plan'}
      aside={
        mayAct && !isNothing ? (
          <button type="button" className="button button-primary" onClick={onApply}>
            Apply …
          </button>
        ) : null
      }
    >
      {isNothing ? (
        <p>The files match the live price list. A push would change nothing.</p>
      ) : (
        // The service accepted the document, so it has the shape of one.
        <PlanView
          outcome={outcome}
          document={document as BillingDocument | null}
          place={place}
          acts={<AllowanceButtons of={outcome.warnings} allowed={allowed} onAllow={onAllow} />}
        />
      )}
    </Card>
  )
}

interface ApplyProps {
  readonly outcome: PushOutcome
  readonly read: ReadDocument
  readonly document: object
  readonly allowed: Allowances
  readonly onPlanAgain: (allowed: Allowances) => void
  readonly onClose: () => void
}

function Apply({ outcome, read, document, allowed, onPlanAgain, onClose }: ApplyProps) {
  const { actor, fields } = useActor()
  const { override, field, isAllowed } = useOverride(outcome.violations, actor.message)
  const [, go] = useLocation()
  const apply = useAct(async () => {
    const written = read.written === null ? undefined : (await api.admin.keepWritten(read.written)).written
    const started = await api.admin.startPush(document, {
      ...allowed,
      ...actor,
      ...override,
      expectPlan: outcome.plan,
      ...(written === undefined ? {} : { written }),
    })
    go(started.started ? `/plan/${encodeURIComponent(started.pushId)}` : '/history')
  })
  // What the button does instead, after a refusal: it makes another plan.
  const again = needsApproval(apply.error)
    ? { act: approveAndPlanAgain, allowed: { ...allowed, approveImpact: true } }
    : apply.error?.code === 'plan_stale'
      ? { act: 'Plan again', allowed }
      : null
  const count = (action: string) => outcome.details.filter((detail) => detail.action === action).length
  const special = [
    { value: count('replace'), word: 'replacement' },
    { value: count('archive'), word: 'archive' },
  ]
    .filter(({ value }) => value > 0)
    .map(({ value, word }) => pluralize(value, word))
  const touched = outcome.impact.reduce((sum, { subscriptions }) => sum + subscriptions, 0)
  return (
    <Confirm
      title={`Apply version ${outcome.version}?`}
      act={again?.act ?? 'Apply this plan'}
      isRunning={apply.isRunning}
      isReady={again !== null || isAllowed}
      error={apply.error}
      onConfirm={() => (again === null ? void apply.run() : onPlanAgain(again.allowed))}
      onClose={onClose}
    >
      <p>
        {pluralize(outcome.details.length, 'change')}, with {pluralize(outcome.writes, 'write')} at the processor
        {special.length === 0 ? '' : `, among them ${special.join(' and ')}`}. Exactly the plan that you see is applied.
        If anything has changed since, nothing is written.
      </p>
      {touched === 0 ? null : (
        <div className="alert alert-warning">
          <p>
            {pluralize(touched, 'live subscription')} {touched === 1 ? 'is' : 'are'} on a price that is replaced or
            archived. They keep their price until you move them.
          </p>
        </div>
      )}
      <AllowedNotes of={allowed} />
      {isAllowed && field === null ? null : <Violations of={outcome.violations} />}
      {field}
      {fields}
    </Confirm>
  )
}
