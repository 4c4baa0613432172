import { issueCodes, problemCodes } from '../../packages/ratecard/src/base/errors/codes.ts'
import { code, page, table } from './markdown.ts'

const intro = `Every error of the HTTP API is \`application/problem+json\` (RFC 9457). \`code\` is contract and never changes its meaning; texts
may improve. \`type\` ends with \`#<code>\`, the headings of this page. \`title\` is the same for every occurrence, \`detail\` is this occurrence, \`hint\` is
the next action, \`instance\` is the request id (\`X-Request-Id\`), \`processor\` holds the processor's own words.`

const issuesIntro = `Problems with a document or a request body carry \`errors\`, a list of issues: \`code\`, \`pointer\` (a JSON pointer into the body),
\`detail\`, \`severity\` and often a \`hint\`. All issues of a document are reported at once.`

export function errorsPage(): string {
  const problems = Object.entries(problemCodes).map(
    ([name, row]) => `### ${name}\n\n${code(String(row.status))} ${row.title}. ${row.when}`,
  )
  const issues = Object.entries(issueCodes).map(([name, meaning]) => [code(name), meaning])
  return page('Errors', 'packages/ratecard/src/base/errors/codes.ts', [
    intro,
    '## Problems',
    ...problems,
    '## Issues',
    issuesIntro,
    table(['Code', 'Meaning'], issues),
  ])
}
