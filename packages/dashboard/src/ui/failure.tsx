import { Prose } from './basic.tsx'
import { Text } from './text.tsx'

const textOf = (error: Readonly<Record<string, unknown>>, name: string) =>
  typeof error[name] === 'string' ? error[name] : null

/** Renders an error that the journal stores of a push, a job or a step. */
export function Failure({ error }: { readonly error: Readonly<Record<string, unknown>> }) {
  const [hint, code] = [textOf(error, 'hint'), textOf(error, 'code')]
  const said = textOf(error, 'detail') ?? textOf(error, 'message') ?? textOf(error, 'title')
  return (
    <div className="alert alert-problem">
      <p>{said === null ? <Text>{JSON.stringify(error)}</Text> : <Prose>{said}</Prose>}</p>
      {hint === null ? null : (
        <p>
          <Prose>{hint}</Prose>
        </p>
      )}
      {code === null ? null : (
        <p className="small">
          <code>{code}</code>
        </p>
      )}
    </div>
  )
}
