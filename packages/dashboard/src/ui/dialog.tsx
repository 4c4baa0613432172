// Dialogs for confirmation before an action. The native `<dialog>` keeps the focus inside and closes with Escape.
import { useEffect, useId, useRef, type ReactNode } from 'react'
import type { RatecardError } from '@ratecard/client'
import { Problem } from './basic.tsx'

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly onClose: () => void
  readonly footer?: ReactNode
}

export function Dialog({ title, children, onClose, footer }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    if (dialog !== null && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      <div className="dialog-body">{children}</div>
      {footer === undefined ? null : <div className="dialog-foot">{footer}</div>}
    </dialog>
  )
}

/** Dialog with the result of a completed action. It has no cancel button, because the action is done. */
export const Outcome = (props: Omit<DialogProps, 'footer'>) => (
  <Dialog
    {...props}
    footer={
      <button type="button" className="button button-primary" onClick={props.onClose}>
        Done
      </button>
    }
  />
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

export function Confirm(props: ConfirmProps) {
  const { title, act, isDanger = false, isRunning, isReady = true, error, onConfirm, onClose, children } = props
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className={isDanger ? 'button button-danger' : 'button button-primary'}
            disabled={isRunning || !isReady}
            onClick={onConfirm}
          >
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
