// Prints the lines of each room, source and tests, beside those of an earlier commit:
//   node scripts/lines.mjs [commit]     default: the last merge
// Files that people write: TypeScript, scripts and style sheets that git tracks.
import { execFileSync } from 'node:child_process'
import { changeBase } from './change-base.mjs'

const git = (args, input) =>
  execFileSync('git', args, { encoding: 'utf8', input, maxBuffer: 1 << 30, stdio: ['pipe', 'pipe', 'inherit'] })

/** The row of a file: a room of the product, another package, a folder of tests, or a folder at the top. Null if it does not count. */
function rowOf(file) {
  if (!/\.(ts|tsx|mjs|cjs|js|css|sh)$/.test(file) || file.includes('.generated.')) return null
  const [top, second, third, fourth] = file.split('/')
  if (top === 'packages') return second === 'ratecard' && third === 'src' ? `ratecard/${fourth}` : second
  if (top === 'test') return file.split('/').length > 2 ? `test/${second}` : 'test'
  return second === undefined ? 'top' : top
}

/** Lines by row at a commit. */
function count(commit) {
  const files = git(['ls-tree', '-r', '--name-only', '-z', commit])
    .split('\0')
    .filter((file) => rowOf(file) !== null)
  const rows = new Map()
  for (const [index, size] of sizes(commit, files).entries()) {
    const row = rowOf(files[index])
    rows.set(row, (rows.get(row) ?? 0) + size)
  }
  return rows
}

/** Numbers of lines of the files, from one process. */
function sizes(commit, files) {
  const text = git(['grep', '-I', '-c', '', commit, '--', ...files])
  const counted = new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [, file, lines] = /^[^:]+:(.*):(\d+)$/.exec(line)
        return [file, Number(lines)]
      }),
  )
  return files.map((file) => counted.get(file) ?? 0)
}

const base = process.argv[2] ?? changeBase()
const now = count('HEAD')
const before = base === null ? now : count(base)
const names = [...new Set([...now.keys(), ...before.keys()])].sort()
const line = (name, a, b) => {
  const change = b - a
  return `${name.padEnd(34)}${String(a).padStart(9)}${String(b).padStart(9)}${(change > 0 ? `+${change}` : change === 0 ? '' : String(change)).padStart(9)}`
}
console.log(
  `Lines since ${base === null ? 'nothing: there is no commit to compare with' : git(['log', '-1', '--format=%h %s', base]).trim()}`,
)
console.log(`${''.padEnd(34)}${'before'.padStart(9)}${'now'.padStart(9)}${'change'.padStart(9)}`)
const sums = { source: [0, 0], tests: [0, 0] }
for (const name of names) {
  const [a, b] = [before.get(name) ?? 0, now.get(name) ?? 0]
  const sum = name.startsWith('test') ? sums.tests : sums.source
  sum[0] += a
  sum[1] += b
  console.log(line(name, a, b))
}
console.log(line('source', ...sums.source))
console.log(line('tests', ...sums.tests))
const grown = sums.source[1] - sums.source[0]
if (grown > 400) console.log(`\nSource grew by ${grown} lines. Over 400: the change says what it takes away.`)
