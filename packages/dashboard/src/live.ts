// Data that is reloaded while a page is open. A cheap poll of the change tag detects all changes of data, also those of other users. A page
// reloads its own data only after such a change.
import { useCallback, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { RatecardError } from '@ratecard/client'
import { api } from './api.ts'
import { firstChangeTag } from './page-data.ts'
import { Pulse } from './pulse.ts'
import { asError } from './words.ts'

const pulse = new Pulse({
  firstTag: firstChangeTag,
  readTag: () => api.admin.changeTag({ timeoutMs: 5000 }),
  page: document,
})

export const useIsConnected = () => useSyncExternalStore(pulse.onConnection, () => pulse.isConnected)

export interface LoadState<Value> {
  /** Loaded data; undefined until the first response. During a reload, the previous value stays. */
  readonly value: Value | undefined
  /** Error of the latest attempt to load; null if it succeeded. */
  readonly error: RatecardError | null
  readonly isLoading: boolean
  readonly reload: () => void
}

export interface LoadOptions {
  /**
   * Interval (ms) of additional reloads. Needed for data that can change without a new change tag, e.g. cron runs and the state at the
   * processor.
   */
  readonly everyMs?: number
  /** False: reloads only on request. For data that needs many calls to the processor. */
  readonly isLive?: boolean
}

/**
 * Returns the state of the data that `load` returns, and reloads it after every change. `key` identifies the data: with a new key the state
 * is empty until the new data is loaded.
 */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  { everyMs, isLive = true }: LoadOptions = {},
): LoadState<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error: RatecardError | null; isLoading: boolean }>({
    key,
    error: null,
    isLoading: true,
  })
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

  // Uses a layout effect, which runs before the browser paints. So the request is under way during the paint.
  useLayoutEffect(() => {
    run()
    const stops = [
      isLive ? pulse.onChange(run) : () => undefined,
      everyMs === undefined ? () => undefined : repeat(run, everyMs),
      () => running.current?.abort(),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [run, isLive, everyMs])

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

/** Returns the state of a user's action: its result or its error. `run` resolves with undefined if the action failed. */
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
