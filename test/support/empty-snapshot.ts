import { resourceKinds, type Snapshot } from '../../packages/ratecard/src/catalog/resource.ts'

/** The state of an account without objects. */
export const emptySnapshot = () => Object.fromEntries(resourceKinds.map((kind) => [kind, []])) as unknown as Snapshot
