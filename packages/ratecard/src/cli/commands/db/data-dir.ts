import type { CommandContext, OptionSpec } from '../../program/command.ts'

export const dataDirOption: OptionSpec = {
  flags: '--data-dir <dir>',
  description: 'Data directory of the store.',
  defaultText: 'RATECARD_DATA_DIR, else ./.ratecard',
}

/** Returns the environment variables and the data folder, which determine the store that a `db` command uses. */
export function storePlace({ io, options }: CommandContext) {
  return { env: io.env, cwd: io.cwd, dataDir: options.text('dataDir') }
}
