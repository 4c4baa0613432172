// Plan page: files are dropped or pasted, planned by the service, reviewed with their impact, and applied.
import { useId, useMemo, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { PushOutcome, PushSummary } from '@ratecard/client'
import { api } from '../api.ts'
import { readDocument, type GivenFile, type ReadDocument } from '../dropped-files.ts'
import { useAct, useLoaded } from '../live.ts'
import { useMayAct } from '../session.ts'
import { Card, Empty, Id, IssueList, Page, Problem, Prose, Show, Table, Text, Time, Who } from '../ui/basic.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { useActor } from '../ui/actor.tsx'
import { PlanView } from '../ui/plan-view.tsx'
import { PushBadge, progressCells } from '../ui/push-badge.tsx'
import { pluralize } from '../words.ts'

interface Allowances {
  /** Overwrites fields that were edited at the processor. */
  readonly force: boolean
  readonly approveImpact: boolean
}

const careful: Allowances = { force: false, approveImpact: false }

export function Plan() {
  const [files, setFiles] = useState<readonly GivenFile[]>([])
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
  const planned = plan.value?.outcome
  return (
    <Page
      title="Plan"
      lead="See what your files would change, and which subscribers they affect, before anything is written."
    >
      <Unfinished />
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
      <div aria-live="polite" className="stack">
        {plan.error === null || read === null ? null : (
          <PlanFailed error={plan.error} read={read} allowed={allowed} onAllow={ask} />
        )}
        {planned === undefined ? null : <Planned outcome={planned} mayAct={mayAct} onApply={() => setAsking(true)} />}
      </div>
      {isAsking && planned !== undefined && read !== null && document !== null ? (
        <Apply
          outcome={planned}
          read={read}
          document={document}
          allowed={plan.value?.options ?? careful}
          onPlanAgain={() => {
            setAsking(false)
            ask(allowed)
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
      <RecentPushes />
    </Page>
  )
}

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
            <b>Fix these errors to plan</b>
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
            The values stay in this page until you apply. The source files that the history keeps contain the names of
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

/** Error of a plan. If the refusal can be overridden (drift, impact), the user can approve it and plan again. */
function PlanFailed({ error, read, allowed, onAllow }: PlanFailedProps) {
  const placed = read.place(error.errors)
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
      {error.code === 'processor_drift' ? (
        <div className="actions">
          <button type="button" className="button" onClick={() => onAllow({ ...allowed, force: true })}>
            Plan to overwrite these edits
          </button>
          <Link href="/drift" className="button">
            Show the drift
          </Link>
        </div>
      ) : null}
      {error.code === 'impact_not_approved' ? (
        <div className="actions">
          <button type="button" className="button" onClick={() => onAllow({ ...allowed, approveImpact: true })}>
            Approve impact and plan again
          </button>
        </div>
      ) : null}
    </div>
  )
}

interface PlannedProps {
  readonly outcome: PushOutcome
  readonly mayAct: boolean
  readonly onApply: () => void
}

function Planned({ outcome, mayAct, onApply }: PlannedProps) {
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
        <PlanView outcome={outcome} />
      )}
    </Card>
  )
}

interface ApplyProps {
  readonly outcome: PushOutcome
  readonly read: ReadDocument
  readonly document: object
  readonly allowed: Allowances
  readonly onPlanAgain: () => void
  readonly onClose: () => void
}

function Apply({ outcome, read, document, allowed, onPlanAgain, onClose }: ApplyProps) {
  const { actor, fields } = useActor()
  const [, go] = useLocation()
  const apply = useAct(async () => {
    const written = read.written === null ? undefined : (await api.admin.keepWritten(read.written)).written
    const started = await api.admin.startPush(document, {
      ...allowed,
      ...actor,
      expectPlan: outcome.plan,
      ...(written === undefined ? {} : { written }),
    })
    go(started.started ? `/plan/${encodeURIComponent(started.pushId)}` : '/history')
  })
  const isStale = apply.error?.code === 'plan_stale'
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
      act={isStale ? 'Plan again' : 'Apply this plan'}
      isRunning={apply.isRunning}
      error={apply.error}
      onConfirm={() => (isStale ? onPlanAgain() : void apply.run())}
      onClose={onClose}
    >
      <p>
        {pluralize(outcome.details.length, 'change')} with {pluralize(outcome.writes, 'write')} at the processor
        {special.length === 0 ? '' : `, among them ${special.join(' and ')}`}. Exactly the plan that you see is applied.
        If anything changed since, nothing is written.
      </p>
      {touched === 0 ? null : (
        <div className="alert alert-warning">
          <p>
            {pluralize(touched, 'live subscription')} {touched === 1 ? 'is' : 'are'} on a price that is replaced or
            archived. They keep their price until you move them.
          </p>
        </div>
      )}
      {allowed.force ? (
        <div className="alert alert-warning">
          <p>Edits that were made at the processor are overwritten.</p>
        </div>
      ) : null}
      {fields}
    </Confirm>
  )
}

/** Renders a push that is running or was interrupted, at the top of the page. */
function Unfinished() {
  const pushes = useLoaded('pushes unfinished', (signal) => api.admin.pushes({ limit: 5, signal }))
  const open = pushes.value?.pushes.find(({ state }) => state === 'interrupted' || state === 'running')
  if (open === undefined) return null
  return (
    <div className={open.state === 'running' ? 'alert alert-note' : 'alert alert-warning'} role="status">
      <p>
        {open.state === 'running' ? 'A push is running: ' : 'A push stopped midway: '}
        {open.stepsDone} of {pluralize(open.stepsTotal, 'step')} done.{' '}
        <Link href={`/plan/${encodeURIComponent(open.id)}`}>
          {open.state === 'running' ? 'Follow it' : 'Show it to resume it'}
        </Link>
      </p>
    </div>
  )
}

function RecentPushes() {
  const pushes = useLoaded('pushes', (signal) => api.admin.pushes({ limit: 10, signal }))
  return (
    <Card title="Recent pushes" isFlush>
      <Show of={pushes} what="Pushes">
        {({ pushes: list }) =>
          list.length === 0 ? (
            <div className="card-pad">
              <Empty title="No pushes yet">
                <p>
                  Drop files above, or run <code>ratecard billing push</code>.
                </p>
              </Empty>
            </div>
          ) : (
            <PushTable pushes={list} />
          )
        }
      </Show>
    </Card>
  )
}

const PushTable = ({ pushes }: { readonly pushes: readonly PushSummary[] }) => (
  <Table
    caption="Recent pushes"
    columns={['State', 'What', 'Who', 'When', { name: 'Steps', isNumber: true }, '']}
    rows={pushes.map((push) => ({
      key: push.id,
      cells: [
        <PushBadge state={push.state} />,
        <>
          {push.kind === 'push' ? '' : `${push.kind} · `}version {push.version}
          {push.message === null ? null : (
            <p className="quiet small">
              <Text>{push.message}</Text>
            </p>
          )}
        </>,
        <Who author={push.author} by={push.by} />,
        <Time at={push.createdAt} />,
        ...progressCells(push, `/plan/${encodeURIComponent(push.id)}`, `push ${push.id}`),
      ],
    }))}
  />
)
