// Dialogs for confirmation before an action. The native `<dialog>` keeps the focus inside. Enter confirms, Escape closes, and the focus returns
// to the element that opened the dialog.
import { useId, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import type { RatecardError } from '@ratecard/client'
import { useAccount } from '../frame/account.ts'
import { Problem } from './basic.tsx'
import { WhichAccount } from './which-account.tsx'

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly onClose: () => void
  /** Called for Enter in a field, or for a button of type `submit`. */
  readonly onSubmit?: () => void
  readonly footer?: ReactNode
}

/**
 * Returns the element that gets the focus first: the first input field, otherwise the dialog itself, so that a screen reader reads its
 * title.
 */
const firstFocus = (dialog: HTMLDialogElement) =>
  dialog.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea):not([disabled], [type="hidden"])') ??
  dialog

export function Dialog({ title, children, onClose, onSubmit, footer }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog === null) return undefined
    const opener = document.activeElement
    if (!dialog.open) dialog.showModal()
    // The focus must not scroll the page, because the user should first read the plan above the first field.
    firstFocus(dialog).focus({ preventScroll: true })
    return () => {
      dialog.close()
      // The element that opened the dialog may no longer exist, e.g. the button of a removed row. After a navigation, the new page gets the
      // focus instead.
      const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body
      ;(isThere ? opener : document.querySelector<HTMLElement>('main h1'))?.focus({ preventScroll: true })
    }
  }, [])
  // Confirms with Enter even while the dialog itself has the focus. By default, a browser submits a form only for Enter in a field.
  const onEnter = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target === element.current) form.current?.requestSubmit()
  }
  return (
    <dialog
      ref={element}
      className="dialog"
      tabIndex={-1}
      aria-labelledby={id}
      onKeyDown={onEnter}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <form
        ref={form}
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit?.()
        }}
      >
        <h2 id={id}>{title}</h2>
        <div className="dialog-body">{children}</div>
        {footer === undefined ? null : <div className="dialog-foot">{footer}</div>}
      </form>
    </dialog>
  )
}

/** Dialog with the result of a completed action. It has no cancel button, because the action is done. */
export const Outcome = (props: Omit<DialogProps, 'footer' | 'onSubmit'>) => (
  <Dialog
    {...props}
    onSubmit={props.onClose}
    footer={
      <button type="submit" className="button button-primary">
        Done
      </button>
    }
  />
)

interface PreviewProps {
  readonly title: string
  readonly isRunning: boolean
  readonly isReady: boolean
  readonly error: RatecardError | null
  readonly onShow: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** First of two dialogs of an act, e.g. of a discount: the user chooses a coupon, and the button asks the service for the effect, which the second dialog shows for confirmation. */
export const Preview = ({ title, isRunning, isReady, error, onShow, onClose, children }: PreviewProps) => (
  <Dialog
    title={title}
    onClose={onClose}
    onSubmit={() => {
      if (!isRunning && isReady) onShow()
    }}
    footer={
      <>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button button-primary" disabled={!isReady} aria-disabled={isRunning}>
          {isRunning ? 'Looking …' : 'Show what would change'}
        </button>
      </>
    }
  >
    {children}
    {error === null ? null : <Problem error={error} />}
  </Dialog>
)

interface ConfirmProps {
  readonly title: string
  /** Label of the confirming button, e.g. `Revoke key`. */
  readonly act: string
  readonly isDanger?: boolean
  readonly isRunning: boolean
  readonly isReady?: boolean
  readonly error: RatecardError | null
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/**
 * Dialog that asks for confirmation of an action. While the action runs, the dialog stays open; otherwise the user would miss the result.
 */
export function Confirm(props: ConfirmProps) {
  const { title, act, isDanger = false, isRunning, isReady = true, error, onConfirm, onClose, children } = props
  const isLive = useAccount()?.mode === 'live'
  const kind = isDanger ? 'danger' : isLive ? 'live' : 'primary'
  return (
    <Dialog
      title={title}
      onClose={() => {
        if (!isRunning) onClose()
      }}
      onSubmit={() => {
        if (!isRunning && isReady) onConfirm()
      }}
      footer={
        <>
          <span className="dialog-account">
            <WhichAccount />
          </span>
          <button type="button" className="button" disabled={isRunning} onClick={onClose}>
            Cancel
          </button>
          {/* Not `disabled` while the action runs, because the button would lose the focus. */}
          <button type="submit" className={`button button-${kind}`} disabled={!isReady} aria-disabled={isRunning}>
            {isRunning ? 'Working …' : act}
          </button>
        </>
      }
    >
      {children}
      {error === null ? null : <Problem error={error} />}
    </Dialog>
  )
}
