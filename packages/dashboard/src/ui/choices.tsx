interface ChoicesProps<Value extends string> {
  /** Label of the group, for screen readers. */
  readonly name: string
  readonly options: Readonly<Partial<Record<Value, string>>>
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** Radio buttons side by side, for a choice between a few values. */
export function Choices<Value extends string>({ name, options, value, onChange }: ChoicesProps<Value>) {
  return (
    <fieldset className="choices">
      <legend className="visually-hidden">{name}</legend>
      {(Object.entries(options) as [Value, string][]).map(([option, words]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  )
}
