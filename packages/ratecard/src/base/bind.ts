type Bound<Operations, Deps> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (deps: Deps, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never
}

/** Returns the operations of a room without their first parameter, which are the things that they work with. */
export function bind<
  Deps,
  const Operations extends Readonly<Record<string, (deps: Deps, ...args: never[]) => unknown>>,
>(deps: Deps, operations: Operations): Bound<Operations, Deps> {
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, (...args: never[]) => operation(deps, ...args)]),
  ) as Bound<Operations, Deps>
}
