// Data that stays true while somebody looks at it. One cheap question tells whether anything changed, here or in another browser;
// only then does a page read its own data again.
import { useCallback, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { RatecardError } from '@ratecard/client'
import { api } from './api.ts'
import { answerFrom, EmbeddedData } from './embedded-data.ts'
import type { PageQuestion } from './embedded-data.ts'
import { firstAnswers, firstChangeTag } from './page-data.ts'
import { base } from './menu.ts'
import { Pulse } from './pulse.ts'
import { asError } from './words.ts'

const brought = new EmbeddedData()
const pulse = new Pulse({
  firstTag: firstChangeTag,
  ask: () => api.admin.changeTag({ timeoutMs: 5000 }),
  forget: () => brought.clear(),
  page: document,
})

export const useIsConnected = () => useSyncExternalStore(pulse.onConnection, () => pulse.isConnected)

export interface LoadState<Value> {
  /** undefined until the first answer; kept while a newer one is on its way. */
  readonly value: Value | undefined
  /** Of the latest attempt. */
  readonly error: RatecardError | null
  readonly isLoading: boolean
  readonly reload: () => void
}

export interface LoadOptions {
  /** Also again after so many milliseconds, for what nobody notes: runs of schedules, what the processor says. */
  readonly everyMs?: number
  /** false: only when asked; for what costs many calls of the processor. */
  readonly isLive?: boolean
}

/** Before anything is rendered: what the document brought along is there with the first picture. */
export async function readDocument(questions: readonly PageQuestion<unknown>[]): Promise<void> {
  const read = async ({ key, load }: PageQuestion<unknown>) => {
    const answer = await answerFrom(firstAnswers, base, load)
    // Otherwise whoever shows it asks for it.
    if (answer !== null) brought.keep(key, answer.value)
  }
  // The page asks for what could not be read, too, and says why where that fails.
  for (const result of await Promise.allSettled(questions.map(read)))
    if (result.status === 'rejected') reportError(result.reason)
}

/** As `useLoaded`, without waiting where the document brought the answer. */
export const useAnswered = <Value>({ key, load }: PageQuestion<Value>): LoadState<Value> =>
  useLoaded(key, (signal) => load(api, { signal }))

/**
 * The answer of `load`, again whenever something changed. `key` says what is loaded: another key starts anew and shows nothing of
 * the old one.
 */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  { everyMs, isLive = true }: LoadOptions = {},
): LoadState<Value> {
  const [beginning] = useState(() => brought.begin(key))
  const [state, setState] = useState<{ key: string; value?: Value; error: RatecardError | null; isLoading: boolean }>(
    beginning.answer === null
      ? { key, error: null, isLoading: true }
      : { key, value: beginning.answer.value as Value, error: null, isLoading: false },
  )
  const loader = useRef(load)
  loader.current = load
  const running = useRef<AbortController | null>(null)

  const run = useCallback(() => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, error: null, isLoading: true }))
    pulse.ready
      .then(() => loader.current(controller.signal))
      .then(
        (value) => {
          if (!controller.signal.aborted) setState({ key, value, error: null, isLoading: false })
        },
        (error: unknown) => {
          if (!controller.signal.aborted) setState((before) => ({ ...before, error: asError(error), isLoading: false }))
        },
      )
  }, [key])

  // Before the browser paints: the answer is on its way meanwhile.
  useLayoutEffect(() => {
    // What was shown from the document is as of the tag that is compared with from here on.
    if (!beginning.stands(key)) run()
    const stops = [
      isLive ? pulse.onChange(run) : () => undefined,
      everyMs === undefined ? () => undefined : repeat(run, everyMs),
      () => running.current?.abort(),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [key, run, beginning, isLive, everyMs])

  const isCurrent = state.key === key
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : null,
    isLoading: !isCurrent || state.isLoading,
    reload: run,
  }
}

function repeat(run: () => void, everyMs: number): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') run()
  }, everyMs)
  return () => clearInterval(timer)
}

export interface Act<Args extends readonly unknown[], Value> {
  readonly run: (...args: Args) => Promise<Value | undefined>
  readonly value: Value | undefined
  readonly error: RatecardError | null
  readonly isRunning: boolean
  readonly reset: () => void
}

/** Something that a person sets off: what it answered, or why not. Resolves to undefined when it failed. */
export function useAct<Args extends readonly unknown[], Value>(
  work: (...args: Args) => Promise<Value>,
): Act<Args, Value> {
  const [state, setState] = useState<{ value?: Value; error: RatecardError | null; isRunning: boolean }>({
    error: null,
    isRunning: false,
  })
  const latest = useRef(work)
  latest.current = work
  const run = useCallback(async (...args: Args) => {
    setState({ error: null, isRunning: true })
    try {
      const value = await latest.current(...args)
      setState({ value, error: null, isRunning: false })
      return value
    } catch (error) {
      setState({ error: asError(error), isRunning: false })
      return undefined
    }
  }, [])
  const reset = useCallback(() => setState({ error: null, isRunning: false }), [])
  return { run, value: state.value, error: state.error, isRunning: state.isRunning, reset }
}
