// Prices in pull requests, on GitHub and GitLab:  node pull-request.mjs plan|apply|drift
//   plan   makes the plan of the checked-out files and keeps it in one comment of the pull request, which is updated in place
//   apply  after the merge: plans anew, and applies it only when it is the very plan of that comment (by its fingerprint)
//   drift  fails when something was edited at the processor
// Settings come from the environment; secrets are never arguments and never printed. It needs Node 22 and nothing else.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'

const environmentPattern = /^[a-z][a-z0-9-]{0,30}$/
const commentLimit = 65_000

/** What the person who reads the log can do something about. */
class Refusal extends Error {}

// ── Settings

/** GitHub gives inputs of an action as `INPUT_*`, with their hyphens. */
function setting(env, name) {
  const value = env[`INPUT_${name.toUpperCase()}`] ?? env[`RATECARD_CI_${name.toUpperCase().replaceAll('-', '_')}`]
  return value === undefined || value.trim() === '' ? null : value.trim()
}

/** Of the package that this script belongs to: a later release gets no production key before the action or the job is updated. */
function ownVersion() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

function readSettings(env) {
  const environment = setting(env, 'environment')
  if (environment !== null && !environmentPattern.test(environment))
    throw new Refusal(`The environment "${environment.slice(0, 40)}" is no name: small letters, digits and "-".`)
  const failOn = setting(env, 'fail-on') ?? 'never'
  if (!['never', 'changes', 'removals'].includes(failOn))
    throw new Refusal(`fail-on is never, changes or removals, and not "${failOn.slice(0, 40)}".`)
  const unplanned = setting(env, 'without-plan') ?? 'refuse'
  if (!['refuse', 'apply'].includes(unplanned))
    throw new Refusal(`without-plan is refuse or apply, and not "${unplanned.slice(0, 40)}".`)
  return {
    environment,
    failOn,
    unplanned,
    cwd: path.resolve(setting(env, 'working-directory') ?? '.'),
    ratecard: (setting(env, 'ratecard') ?? `npx --yes ratecard@${ownVersion()}`).split(/\s+/),
    apiUrl: setting(env, 'api-url'),
    serviceKey: setting(env, 'service-key') ?? env.RATECARD_SERVICE_KEY ?? null,
    token: setting(env, 'token') ?? env.GITHUB_TOKEN ?? env.GITLAB_TOKEN ?? null,
    author: setting(env, 'comment-author'),
  }
}

// ── The command line of Ratecard

/** What is meant for this script and for the code host, and nobody else. */
const ours = /^(INPUT_.*|RATECARD_CI_.*|GITHUB_TOKEN|GITLAB_TOKEN|CI_JOB_TOKEN|ACTIONS_.*_TOKEN)$/

/** Runs a command; the service key travels in the environment, where a process list does not show it. */
function run(settings, args) {
  const [file, ...before] = settings.ratecard
  const named = settings.environment === null ? [] : ['--env', settings.environment]
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))
  if (settings.apiUrl !== null) env.RATECARD_API_URL = settings.apiUrl
  if (settings.serviceKey !== null) env.RATECARD_SERVICE_KEY = settings.serviceKey
  env.CI = 'true'
  env.NO_COLOR = '1'
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...before, ...args, ...named], {
      cwd: settings.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
    })
    const chunks = { stdout: [], stderr: [] }
    child.stdout.on('data', (chunk) => chunks.stdout.push(chunk))
    child.stderr.on('data', (chunk) => chunks.stderr.push(chunk))
    child.on('error', (error) => reject(new Refusal(`${file} could not be started: ${error.message}`)))
    child.on('close', (code) => {
      const text = (name) => Buffer.concat(chunks[name]).toString('utf8')
      resolve({ exit: code ?? 70, stdout: text('stdout'), stderr: text('stderr') })
    })
  })
}

/** The plan of the checked-out files: as Markdown, and as the file that `--plan` takes. The file may hold secrets: it stays here. */
async function makePlan(settings, use) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-plan-'))
  const file = path.join(folder, 'plan.json')
  try {
    const made = await run(settings, ['billing', 'push', '--plan-out', file, '--format', 'markdown'])
    const saved = made.exit === 0 ? JSON.parse(readFileSync(file, 'utf8')) : null
    return await use({ ...made, file, saved })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const changesOf = (saved) => saved.details.filter(({ action }) => action !== 'keep')
const removalsOf = (saved) => saved.details.filter(({ action }) => action === 'archive' || action === 'replace')

// ── Code hosts: the few calls that are needed

async function call(base, headers, method, route, body) {
  const url = `${base}${route}`
  const response = await fetch(url, {
    method,
    headers: {
      ...headers,
      accept: 'application/json',
      'user-agent': 'ratecard',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(30_000),
  })
  if (!response.ok) throw new Refusal(`${method} ${url} answered ${response.status}. ${hintFor(response.status)}`)
  return response.status === 204 ? null : response.json()
}

const hintFor = (status) =>
  status === 401 || status === 403 || status === 404
    ? 'Does the token have the right to write comments of pull requests?'
    : 'Try again later.'

async function all(ask, route) {
  const found = []
  for (let page = 1; ; page++) {
    const items = await ask('GET', `${route}${route.includes('?') ? '&' : '?'}per_page=100&page=${page}`)
    found.push(...items)
    if (items.length < 100) return found
  }
}

function github(env, settings) {
  const repository = env.GITHUB_REPOSITORY ?? ''
  const event = env.GITHUB_EVENT_PATH ? JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8')) : {}
  const headers = { authorization: `Bearer ${settings.token}`, 'x-github-api-version': '2022-11-28' }
  const ask = (method, route, body) =>
    call(env.GITHUB_API_URL ?? 'https://api.github.com', headers, method, `/repos/${repository}${route}`, body)
  const author = settings.author ?? 'github-actions[bot]'
  return {
    number: event.pull_request?.number ?? null,
    sign: (number) => `#${number}`,
    // Whoever may comment could write a marker: only comments of our own count.
    comments: async (number) =>
      (await all(ask, `/issues/${number}/comments`))
        .filter(({ user }) => user?.login === author)
        .map(({ id, body }) => ({ id, body: body ?? '' })),
    create: (number, body) => ask('POST', `/issues/${number}/comments`, { body }),
    update: (_number, id, body) => ask('PATCH', `/issues/comments/${id}`, { body }),
    mergedAs: async () => {
      const sha = env.GITHUB_SHA ?? ''
      const merged = (await ask('GET', `/commits/${sha}/pulls`)).filter(({ merged_at: at }) => Boolean(at))
      return (merged.find((pull) => pull.merge_commit_sha === sha) ?? merged[0])?.number ?? null
    },
    summary: (text) => env.GITHUB_STEP_SUMMARY && appendFileSync(env.GITHUB_STEP_SUMMARY, `${text}\n`),
    output: (name, value) => env.GITHUB_OUTPUT && appendFileSync(env.GITHUB_OUTPUT, `${name}=${value}\n`),
  }
}

function gitlab(env, settings) {
  const base = `${env.CI_API_V4_URL}/projects/${encodeURIComponent(env.CI_PROJECT_ID ?? '')}`
  const headers = { 'private-token': settings.token ?? '' }
  const ask = (method, route, body) => call(base, headers, method, route, body)
  const notes = (number) => `/merge_requests/${number}/notes`
  return {
    number: env.CI_MERGE_REQUEST_IID ? Number(env.CI_MERGE_REQUEST_IID) : null,
    sign: (number) => `!${number}`,
    comments: async (number) => {
      const me = await call(env.CI_API_V4_URL, headers, 'GET', '/user')
      return (await all(ask, notes(number))).filter(({ author, system }) => author?.id === me.id && system !== true)
    },
    create: (number, body) => ask('POST', notes(number), { body }),
    update: (number, id, body) => ask('PUT', `${notes(number)}/${id}`, { body }),
    mergedAs: async () => {
      const found = await ask('GET', `/repository/commits/${env.CI_COMMIT_SHA}/merge_requests`)
      const merged = found.filter(({ state }) => state === 'merged')
      const ofCommit = [env.CI_COMMIT_SHA]
      return (
        (
          merged.find(({ merge_commit_sha: merge, squash_commit_sha: squash }) =>
            [merge, squash].some((sha) => ofCommit.includes(sha)),
          ) ?? merged[0]
        )?.iid ?? null
      )
    },
    summary: () => undefined,
    output: () => undefined,
  }
}

function hostOf(env, settings) {
  if (settings.token === null)
    throw new Refusal('There is no token for comments. Set the input `token`, or GITLAB_TOKEN as a masked variable.')
  return env.GITLAB_CI ? gitlab(env, settings) : github(env, settings)
}

// ── The comment

const markerOf = ({ environment }) => `<!-- ratecard plan ${environment ?? 'default'} `
/** The fingerprint that a comment shows; null when it shows none, because there was no plan. */
const fingerprintIn = (body) => /^<!-- ratecard plan \S+ ([0-9a-f]{8,128}) -->/.exec(body)?.[1] ?? null

/** Of several, which a race may have left, the last one counts. */
async function commentOf(host, settings, number) {
  const found = (await host.comments(number)).filter(({ body }) => body.startsWith(markerOf(settings)))
  return found.sort((a, b) => a.id - b.id).at(-1) ?? null
}

async function say(host, settings, number, fingerprint, text) {
  const body = `${markerOf(settings)}${fingerprint ?? 'none'} -->\n${text}`.slice(0, commentLimit)
  const present = await commentOf(host, settings, number)
  if (present === null) await host.create(number, body)
  else if (present.body !== body) await host.update(number, present.id, body)
}

/** Output of a command as it is: in a fence that nothing in it can close. */
function fenced(text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${text.trim().slice(0, 20_000)}\n${fence}`
}

// ── What is done

async function plan(env, settings) {
  const host = hostOf(env, settings)
  const { number } = host
  if (number === null) throw new Refusal('This is no pull request: run `plan` on the event of one.')
  if (settings.serviceKey === null)
    throw new Refusal(
      'There is no service key. Pull requests of forks get no secrets: plan them after a look at the branch.',
    )
  return makePlan(settings, async ({ exit, stdout, stderr, saved }) => {
    process.stderr.write(stderr)
    if (saved === null) {
      const text = `### Prices: no plan\n\nThe files of this branch cannot be applied.\n\n${fenced(stderr || stdout)}`
      await say(host, settings, number, null, text)
      host.summary(text)
      return exit === 0 ? 70 : exit
    }
    const [changes, removals] = [changesOf(saved).length, removalsOf(saved).length]
    const where = settings.environment === null ? '' : ` for **${settings.environment}**`
    const text = `${stdout.trim()}\n\nAfter the merge exactly this plan is applied${where}, or nothing.`
    await say(host, settings, number, saved.plan, text)
    host.summary(stdout)
    host.output('changes', String(changes))
    host.output('removals', String(removals))
    host.output('fingerprint', saved.plan)
    process.stdout.write(stdout)
    const broken = settings.failOn === 'changes' ? changes > 0 : settings.failOn === 'removals' && removals > 0
    if (broken) process.stderr.write(`The rule fail-on: ${settings.failOn} is broken by this plan.\n`)
    return broken ? 3 : 0
  })
}

async function apply(env, settings) {
  const host = hostOf(env, settings)
  const number = await host.mergedAs()
  const comment = number === null ? null : await commentOf(host, settings, number)
  const approved = comment === null ? null : fingerprintIn(comment.body)
  return makePlan(settings, async ({ exit, stderr, stdout, saved, file }) => {
    process.stderr.write(stderr)
    if (saved === null) {
      process.stdout.write(stdout)
      return exit === 0 ? 70 : exit
    }
    if (changesOf(saved).length === 0 && approved !== saved.plan) {
      process.stdout.write('Nothing to apply: what is in place is what the files say.\n')
      return 0
    }
    refuseOther(settings, { number, approved, present: saved.plan, host, text: stdout })
    const why = number === null ? [] : ['--message', `Merged ${host.sign(number)}`]
    const applied = await run(settings, ['billing', 'push', '--plan', file, '--yes', ...why])
    process.stdout.write(applied.stdout)
    process.stderr.write(applied.stderr)
    host.summary(
      `### Prices ${applied.exit === 0 ? 'applied' : 'not applied'}\n\n${fenced(applied.stdout + applied.stderr)}`,
    )
    if (number !== null && comment !== null) {
      const word = applied.exit === 0 ? '✅ **Applied.**' : '❌ **Not applied**: see the log of the job.'
      const rest = comment.body.replace(/^[^\n]*\n(?:(?:✅|❌)[^\n]*\n\n)?/, '')
      await say(host, settings, number, approved, `${word}\n\n${rest}`)
    }
    return applied.exit
  })
}

function refuseOther(settings, { number, approved, present, host, text }) {
  if (approved === present) return
  if (approved === null && settings.unplanned === 'apply') return
  process.stdout.write(text)
  if (approved === null)
    throw new Refusal(
      number === null
        ? 'This commit came without a pull request, so nobody saw its plan. Nothing was applied.'
        : `The pull request ${host.sign(number)} has no plan. Nothing was applied.`,
    )
  throw new Refusal(
    `The plan is not the one that ${host.sign(number)} showed (${approved}, now ${present}): something changed in between. Nothing was applied. Open a pull request to see and approve the present plan.`,
  )
}

async function drift(env, settings) {
  const { exit, stdout, stderr } = await run(settings, ['billing', 'drift', '--format', 'markdown', '--exit-code'])
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${stdout || fenced(stderr)}\n`)
  return exit
}

const commands = { plan, apply, drift }

async function main(env) {
  const name = process.argv[2] ?? setting(env, 'command') ?? ''
  const command = Object.hasOwn(commands, name) ? commands[name] : null
  if (command === null) throw new Refusal(`"${name.slice(0, 40)}" is no command: write plan, apply or drift.`)
  return command(env, readSettings(env))
}

/** A log of GitHub takes lines for commands (`::set-output …`), and names of products are printed there: none counts while this runs. */
function sealLog(env) {
  if (env.GITHUB_ACTIONS !== 'true') return
  process.stdout.write(`::stop-commands::${randomUUID()}\n`)
}

try {
  sealLog(process.env)
  process.exitCode = await main(process.env)
} catch (error) {
  // A cause can hold the request with its headers: only its message is told.
  const said = error instanceof Refusal ? error.message : `${error?.message ?? error}`
  const cause = error instanceof Refusal ? '' : (error?.cause?.message ?? '')
  process.stderr.write(`ratecard: ${said}${cause === '' ? '' : ` (${cause})`}\n`)
  process.exitCode = 1
}
