import { RatecardError, type Finding } from '@ratecard/client'
import type { Command, CommandContext } from '../../program/command.ts'
import { toFailure } from '../../failure.ts'
import { findProject } from '../../files/project.ts'
import { readConfig } from '../../files/read-config.ts'
import { connect, type ServerConnection } from '../../server-address.ts'
import { wrapLines } from '../../terminal/terminal-text.ts'
import { count } from '../../views/issues.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the project, the server and the processor',
  examples: [{ command: 'ratecard doctor', what: 'lists problems and how to fix them' }],
  run: async (context) => {
    const { out } = context
    const findings = [...checkHere(context), ...(await checkServer(context, connect(context)))]
    const marks = { ok: out.paint.green('✓'), warning: out.paint.yellow('!'), problem: out.paint.red('✗') }
    for (const finding of findings) {
      if (finding.status === 'not_checked') continue
      out.print(wrapLines(`${marks[finding.status]} ${out.paint.bold(finding.check)}  ${finding.detail}`, out.width))
      if (finding.hint !== undefined) out.print(wrapLines(`    ${out.paint.cyan('hint:')} ${finding.hint}`, out.width))
    }
    const of = (wanted: Finding['status']) => findings.filter(({ status }) => status === wanted)
    const [problems, warnings, unchecked] = [of('problem').length, of('warning').length, of('not_checked')]
    // One line, because all of them have the cause of the problem above.
    if (unchecked.length > 0)
      out.print(
        `${out.paint.dim('–')} ${out.paint.bold('not checked')}  ${unchecked.map(({ check }) => check).join(', ')}`,
      )
    out.say(`\n${verdictText(problems, warnings)}`)
    return { exit: problems === 0 ? 0 : 1, json: { findings } }
  },
}

/** Returns e.g. `1 problem, 3 warnings.` or `No problem, 3 warnings.` */
function verdictText(problems: number, warnings: number): string {
  if (problems + warnings === 0) return 'All checks passed.'
  const noted = warnings === 0 ? '' : `, ${count(warnings, 'warning')}`
  return `${problems === 0 ? 'No problem' : count(problems, 'problem')}${noted}.`
}

function checkHere(context: CommandContext): Finding[] {
  const runtime: Finding = { check: 'node', status: 'ok', detail: `Node ${process.versions.node}` }
  const project = findProject(context.io.cwd)
  if (project === null)
    return [
      runtime,
      {
        check: 'project',
        status: 'warning',
        detail: 'No folder `ratecard/` here or above.',
        hint: '`ratecard init` creates one; the server works without it.',
      },
    ]
  return [runtime, { check: 'project', status: 'ok', detail: project }, checkConfig(context)]
}

function checkConfig(context: CommandContext): Finding {
  const check = 'configuration'
  try {
    const read = readConfig({ ...context, args: [] })
    const files = count(read.files.length, 'file')
    if (read.config !== null) return { check, status: 'ok', detail: `version ${read.config.version} in ${files}` }
    return {
      check,
      status: 'problem',
      detail: `${count(read.errors.length, 'error')} in ${files}`,
      hint: 'See `ratecard billing validate`.',
    }
  } catch (error) {
    const { problem } = toFailure(error)
    return {
      check,
      status: 'warning',
      detail: problem.detail,
      ...(problem.hint === undefined ? {} : { hint: problem.hint }),
    }
  }
}

async function checkServer({ io }: CommandContext, { client, url, key }: ServerConnection): Promise<Finding[]> {
  const at = { signal: io.signal, timeoutMs: 10_000 }
  try {
    const findings = await client.admin.doctor(at)
    return [
      { check: 'server', status: 'ok', detail: url },
      { check: 'service key', status: 'ok', detail: 'accepted' },
      ...findings,
    ]
  } catch (error) {
    const { problem } = toFailure(error, { apiUrl: url })
    const known = error instanceof RatecardError && error.status === 401
    const hint = problem.hint === undefined ? {} : { hint: problem.hint }
    if (error instanceof RatecardError && error.code === 'store_unavailable')
      return [
        { check: 'server', status: 'ok', detail: url },
        { check: 'store', status: 'problem', detail: problem.detail, ...hint },
        {
          check: 'everything in the store',
          status: 'not_checked',
          detail: 'not checked, because the store does not answer',
        },
      ]
    if (!known) return [{ check: 'server', status: 'problem', detail: problem.detail, ...hint }]
    const detail = key === null ? 'none was found' : problem.detail
    return [
      { check: 'server', status: 'ok', detail: url },
      { check: 'service key', status: 'problem', detail, ...hint },
    ]
  }
}
