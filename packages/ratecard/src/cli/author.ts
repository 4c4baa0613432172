import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import type { CommandContext } from './program/command.ts'

const run = promisify(execFile)

/** Returns the author of a change: `--author`, otherwise git's user, otherwise the user of this machine. */
export async function authorOf({ options, io }: Pick<CommandContext, 'options' | 'io'>): Promise<string> {
  const given = options.text('author')
  if (given !== undefined) return given
  const ask = async (name: string) => {
    try {
      const { stdout } = await run('git', ['config', '--get', name], { cwd: io.cwd, env: io.env, timeout: 2_000 })
      return stdout.trim()
    } catch {
      return ''
    }
  }
  const [name, email] = await Promise.all([ask('user.name'), ask('user.email')])
  if (name !== '' && email !== '') return `${name} <${email}>`
  return name || email || loginName(io.env)
}

function loginName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username
  } catch {
    // In a container there may be no passwd entry for the user id. Then `os.userInfo` throws.
    return env['USER'] ?? 'unknown'
  }
}
