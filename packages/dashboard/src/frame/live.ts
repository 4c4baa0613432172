// Data that is reloaded while a page is open. A cheap poll of the change tag detects all changes of data, including those by other users. A
// page reloads its own data only after such a change.
import { useCallback, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { RatecardError } from '@ratecard/client'
import { api } from '../api.ts'
import { firstChangeTag } from './page-data.ts'
import { Pulse } from './pulse.ts'
import { asError } from '../words/words.ts'

const pulse = new Pulse({
  firstTag: firstChangeTag,
  read: () => api.admin.changes({ timeoutMs: 5000 }),
  isStoreDown: (error) => asError(error).code === 'store_unavailable',
  now: () => Date.now(),
  page: document,
})

/** Returns what is down now; null if nothing is. The frame of the page shows it once, for all parts of the page. */
export const useOutage = () =>
  useSyncExternalStore(
    pulse.onConnection,
    () => pulse.outage,
    () => null,
  )

/** Resolves when the service responds again. Used after a request of the page failed, e.g. for its script. */
export const untilConnected = () => pulse.untilConnected()

/** Calls the listener after each change of data, including those by other users. Returns a function that removes the listener. */
export const onChange = (listener: () => void) => pulse.onChange(listener)

export interface LoadState<Value> {
  /** Loaded data; undefined until the first response. During a reload it keeps the previous value. */
  readonly value: Value | undefined
  /** Error of the latest attempt to load; null if it succeeded. */
  readonly error: RatecardError | null
  readonly isLoading: boolean
  readonly reload: () => void
}

export interface LoadOptions {
  /**
   * Interval (ms) of additional reloads, for data that can change without a new change tag, e.g. cron runs and the state at the processor.
   */
  readonly everyMs?: number
  /** False: reloads only on request. For data that needs many calls to the processor. */
  readonly isLive?: boolean
}

/**
 * Returns the state of the data that `load` returns, and reloads the data after every change. `key` identifies the data: with a new key,
 * the state is empty until the new data is loaded.
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
  const hasFailed = useRef(false)

  const run = useCallback(() => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, error: null, isLoading: true }))
    pulse.ready
      .then(() => loader.current(controller.signal))
      .then(
        (value) => {
          if (controller.signal.aborted) return
          hasFailed.current = false
          setState({ key, value, error: null, isLoading: false })
        },
        (error: unknown) => {
          if (controller.signal.aborted) return
          hasFailed.current = true
          setState((before) => ({ ...before, error: asError(error), isLoading: false }))
        },
      )
  }, [key])

  // A layout effect runs before the browser paints, so that the request is already sent during the paint.
  useLayoutEffect(() => {
    run()
    const stops = [
      isLive ? pulse.onChange(run) : () => undefined,
      // Data that is not live is normally not reloaded. But if its last load failed, it is reloaded when the connection is back.
      isLive ? () => undefined : pulse.onConnection(() => pulse.isConnected && hasFailed.current && run()),
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

/**
 * Returns the state of a user's action: its result or its error. `run` resolves with undefined if the action failed. While the action runs,
 * `run` does nothing, so a button may stay enabled: a disabled button loses the focus, and a dialog could not return it.
 */
export function useAct<Args extends readonly unknown[], Value>(
  work: (...args: Args) => Promise<Value>,
): Act<Args, Value> {
  const [state, setState] = useState<{ value?: Value; error: RatecardError | null; isRunning: boolean }>({
    error: null,
    isRunning: false,
  })
  const latest = useRef(work)
  latest.current = work
  const isRunning = useRef(false)
  const run = useCallback(async (...args: Args) => {
    if (isRunning.current) return undefined
    isRunning.current = true
    setState({ error: null, isRunning: true })
    try {
      const value = await latest.current(...args)
      setState({ value, error: null, isRunning: false })
      return value
    } catch (error) {
      setState({ error: asError(error), isRunning: false })
      return undefined
    } finally {
      isRunning.current = false
    }
  }, [])
  const reset = useCallback(() => setState({ error: null, isRunning: false }), [])
  return { run, value: state.value, error: state.error, isRunning: state.isRunning, reset }
}
