// Form fields for author and reason. Shown in the form of every action that is recorded in the history.
import { useState } from 'react'

const storedName = 'ratecard.author'

export interface Actor {
  readonly author: string | undefined
  readonly message: string | undefined
}

/**
 * Returns who acts and why, and the form fields that ask for both. Without `asksReason` they ask for the name alone, because the form has its
 * own field for the reason, e.g. that of a credit.
 */
export function useActor({ asksReason = true }: { readonly asksReason?: boolean } = {}) {
  const [author, setAuthor] = useState(() => localStorage.getItem(storedName) ?? '')
  const [message, setMessage] = useState('')
  const actor: Actor = { author: author.trim() || undefined, message: message.trim() || undefined }
  const fields = (
    <div className="columns">
      {asksReason ? (
        <label className="field">
          <span className="field-label">Reason (shown in the history)</span>
          <input
            className="input"
            maxLength={500}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
        </label>
      ) : null}
      <label className="field">
        <span className="field-label">Your name</span>
        <input
          className="input"
          maxLength={200}
          autoComplete="name"
          value={author}
          onChange={(event) => {
            setAuthor(event.target.value)
            localStorage.setItem(storedName, event.target.value)
          }}
        />
      </label>
    </div>
  )
  return { actor, fields }
}
