/** How the process of a worker can be confined, from the strictest to the loosest. */
export const sandboxModes = ['bubblewrap', 'namespaces', 'uid', 'none'] as const
export type SandboxMode = (typeof sandboxModes)[number]
