/** Confinement modes of a worker process, from the strictest to the loosest. */
export const confinementModes = ['bubblewrap', 'namespaces', 'uid', 'none'] as const
export type ConfinementMode = (typeof confinementModes)[number]
