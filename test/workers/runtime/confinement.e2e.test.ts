// Limits of a process that broke out of the runtime: a test program runs in the confinement of a worker, in each mode, with and without
// root, and reports what it can open, see and call. The results must equal the guide's table. `MEASURE=write npx vitest run
// test/workers/runtime/confinement.e2e.test.ts`, as root with bubblewrap, writes the table.
import { execFile } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConfinementMode } from '../../../packages/ratecard/src/workers/runtime/confinement-modes.ts'
import {
  confinementOf,
  filterDescriptor,
} from '../../../packages/ratecard/src/workers/runtime/workerd/confinement/confinement.ts'
import type {
  ProcessToConfine,
  Confinement,
} from '../../../packages/ratecard/src/workers/runtime/workerd/confinement/confinement.ts'
import { refusedCalls } from '../../../packages/ratecard/src/workers/runtime/workerd/confinement/seccomp.ts'

const guide = new URL('../../../docs/reference/workers.md', import.meta.url)
const isRoot = process.getuid?.() === 0
/** The user of a service that does not run as root. */
const serviceUser = isRoot ? 64_998 : (process.getuid?.() ?? 0)
const workerUser = 64_999

let base: string
let node: string
/** Files of the service: one that only its user can read, like the master key, and one that every user can read. */
const files = { secretOfRoot: '', secretOfUser: '', shared: '' }

beforeAll(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'rc-confine-'))
  await chmod(base, 0o755)
  // In a folder that every user can read, like the runtime.
  node = path.join(base, 'node')
  copyFileSync(process.execPath, node)
  await chmod(node, 0o755)
  files.shared = path.join(base, 'shared')
  await writeFile(files.shared, 'shared')
  for (const [name, owner] of [
    ['secretOfRoot', process.getuid?.() ?? 0] as const,
    ['secretOfUser', serviceUser] as const,
  ]) {
    const folder = path.join(base, name)
    await mkdir(folder)
    files[name] = path.join(folder, 'master-key')
    await writeFile(files[name], 'secret', { mode: 0o600 })
    await chmod(folder, 0o700)
    if (isRoot) for (const place of [files[name], folder]) await chown(place, owner, owner)
  }
})
afterAll(() => rm(base, { recursive: true, force: true }))

interface Inside {
  readonly opened: {
    readonly secret: boolean
    readonly shared: boolean
    readonly passwd: boolean
    readonly environment: boolean
  }
  /** Every file outside of /proc, if there are only few. */
  readonly everyFile: readonly string[] | null
  readonly processes: number
  readonly seesService: boolean
  readonly signalsService: boolean
  readonly interfaces: readonly string[]
  readonly uid: number
  readonly capabilities: string
  readonly filtered: boolean
}

/** The program that runs in the confinement. It can use nothing of this file. */
const probe = `
const fs = require('node:fs'), os = require('node:os')
const { secret, shared, service } = JSON.parse(process.argv[1])
const opens = (file) => { try { fs.closeSync(fs.openSync(file)); return true } catch { return false } }
const tries = (work) => { try { work(); return true } catch { return false } }
const all = []
const walk = (folder) => {
  if (all.length > 60) return
  let entries = []
  try { entries = fs.readdirSync(folder, { withFileTypes: true }) } catch { return }
  for (const entry of entries) {
    const place = (folder === '/' ? '' : folder) + '/' + entry.name
    if (entry.isDirectory()) { if (place !== '/proc') walk(place) }
    else if (opens(place)) all.push(place)
  }
}
walk('/')
const status = fs.readFileSync('/proc/self/status', 'utf8')
const field = (name) => new RegExp('^' + name + ':\\\\s*(.*)$', 'm').exec(status)?.[1] ?? ''
const pids = fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))
// In a pid namespace another process may have the service's pid, so check that it is the service.
const isService = (pid) => { try { return fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes(service.mark) } catch { return false } }
const seen = pids.filter(isService)
console.log(JSON.stringify({
  opened: { secret: opens(secret), shared: opens(shared), passwd: opens('/etc/passwd'), environment: seen.some((pid) => opens('/proc/' + pid + '/environ')) },
  everyFile: all.length > 60 ? null : all.sort(),
  processes: pids.length,
  seesService: seen.length > 0,
  signalsService: seen.some((pid) => tries(() => process.kill(Number(pid), 0))),
  // The filter refuses this system call.
  interfaces: (() => { try { return Object.keys(os.networkInterfaces()) } catch { return [] } })(),
  uid: process.getuid(),
  capabilities: field('CapEff'),
  filtered: field('Seccomp') === '2',
}))`

/** If the suite runs as root, the case without root starts everything as another user. */
const demote = (asRoot: boolean): readonly string[] =>
  asRoot || !isRoot
    ? []
    : ['setpriv', `--reuid=${String(serviceUser)}`, `--regid=${String(serviceUser)}`, '--clear-groups', '--']

async function run(
  confinement: Confinement,
  asRoot: boolean,
  what: Pick<ProcessToConfine, 'binary' | 'args'>,
): Promise<Buffer> {
  const folder = await mkdtemp(path.join(base, 'own-'))
  const user = confinement.ownUsers ? workerUser : null
  const owner = user ?? (asRoot ? 0 : serviceUser)
  if (isRoot) await chown(folder, owner, owner)
  const filterFile = path.join(base, 'filter')
  writeFileSync(filterFile, confinement.filter ?? new Uint8Array())
  const filter = openSync(filterFile, 'r')
  const [command, ...args] = [...demote(asRoot), ...confinement.command({ ...what, user, folder, memoryMb: 512 })]
  try {
    return await new Promise((resolve, reject) => {
      // Node's execFile cannot pass this descriptor, so a shell opens number 4.
      const words = ['-c', `exec "$@" ${String(filterDescriptor)}<"$0"`, filterFile, command ?? '', ...args]
      const options = { encoding: 'buffer', env: {}, cwd: '/', timeout: 30_000 } as const
      execFile('/bin/sh', words, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout)
        else reject(new Error(`${error.message}\n${stderr.toString()}`))
      })
    })
  } finally {
    closeSync(filter)
  }
}

const cases = [
  { mode: 'bubblewrap', asRoot: true },
  { mode: 'bubblewrap', asRoot: false },
  { mode: 'namespaces', asRoot: true },
  { mode: 'namespaces', asRoot: false },
  { mode: 'uid', asRoot: true },
  { mode: 'none', asRoot: false },
] as const satisfies readonly { readonly mode: ConfinementMode; readonly asRoot: boolean }[]

async function measure({ mode, asRoot }: (typeof cases)[number]): Promise<Inside | string> {
  if (asRoot && !isRoot) return 'needs root'
  const confinement = await confinementOf(mode, asRoot, node)
  if (typeof confinement === 'string') return confinement
  const mark = `stands-for-the-service-${String(process.pid)}-${mode}-${String(asRoot)}`
  const secret = asRoot ? files.secretOfRoot : files.secretOfUser
  // A process of the service's user that is older than the worker's, like the service.
  const [command, ...args] = [...demote(asRoot), node, '-e', 'setInterval(() => {}, 1000)', mark]
  const service = execFile(command, args, { env: { KEY: 'secret' }, cwd: '/' })
  try {
    await new Promise((resolve) => service.once('spawn', resolve))
    while (!readFileSync(`/proc/${String(service.pid)}/cmdline`, 'utf8').includes(mark))
      await new Promise((resolve) => setImmediate(resolve))
    const argument = JSON.stringify({ secret, shared: files.shared, service: { mark } })
    // The probe's own command line contains the marker too, so hide it there.
    const hidden = argument.replace(mark, mark.replace('stands', '\\u0073tands'))
    const text = (await run(confinement, asRoot, { binary: node, args: ['-e', probe, hidden] })).toString()
    return JSON.parse(text) as Inside
  } finally {
    service.kill('SIGKILL')
  }
}

const measured = new Map<string, Inside | string>()
const nameOf = ({ mode, asRoot }: (typeof cases)[number]) => `${mode}, ${asRoot ? 'as root' : 'without root'}`
const yes = (value: boolean) => (value ? '**yes**' : 'no')

function line(name: string, inside: Inside): string {
  const { opened, everyFile, processes, seesService, signalsService, interfaces, filtered } = inside
  const [mode, who] = name.split(', ')
  const others = everyFile === null ? (opened.passwd || opened.shared ? 'what every user may read' : 'some') : 'none'
  const seen = !seesService
    ? processes <= 3
      ? 'none'
      : 'none of the service'
    : signalsService
      ? '**seen, can be signalled**'
      : 'seen, not touched'
  const network = interfaces.every((one) => one === 'lo') ? 'none' : 'the machine’s'
  const user = inside.uid === workerUser ? 'one of its own' : 'the service’s'
  return `| \`${mode ?? ''}\`, ${who ?? ''} | ${others} | ${yes(opened.secret)} | ${seen} | ${yes(opened.environment)} | ${network} | ${user} | ${filtered ? `${String(Object.keys(refusedCalls).length)} refused` : 'all'} |`
}

const head = [
  '| Mode | Other files of the machine | The service’s key and database | Other processes | The service’s environment | Network | User | System calls |',
  '|---|---|---|---|---|---|---|---|',
]
const [begin, end] = [
  '<!-- measured by test/workers/runtime/confinement.e2e.test.ts -->',
  '<!-- end of what is measured -->',
]

describe('the process of a worker:', () => {
  it.each(cases)(
    'in confinement mode $mode (started as root: $asRoot), it can open, see and call only what the guide lists',
    async (one) => {
      const inside = await measure(one)
      measured.set(nameOf(one), inside)
      if (typeof inside === 'string') return
      expect(inside.capabilities).toBe('0000000000000000')
      if (one.mode === 'bubblewrap') {
        expect(inside).toMatchObject({
          opened: { secret: false, shared: false, passwd: false, environment: false },
          seesService: false,
          filtered: true,
        })
        // The runtime, its libraries, a source of randomness, and no other file.
        expect(inside.everyFile?.filter((file) => !/^\/workerd$|\.so(\.\d+)*$|^\/dev\/urandom$/.test(file))).toEqual([])
      }
      if (one.asRoot) expect([inside.opened.secret, inside.uid]).toEqual([false, workerUser])
      if (one.mode === 'namespaces') expect([inside.signalsService, inside.interfaces]).toEqual([false, []])
    },
  )

  it('the guide contains the table that these tests measured', (test) => {
    const text = readFileSync(guide, 'utf8')
    const lines = [...measured].flatMap(([name, inside]) => (typeof inside === 'string' ? [] : [line(name, inside)]))
    const section = text.slice(text.indexOf(begin) + begin.length, text.indexOf(end))
    if (process.env['MEASURE'] === 'write') {
      expect(lines).toHaveLength(cases.length)
      writeFileSync(guide, text.replace(section, `\n\n${[...head, ...lines].join('\n')}\n\n`))
      return
    }
    const cellsOf = (row: string) => row.split('|').map((cell) => cell.trim())
    const written = section.split('\n').map(cellsOf)
    if (lines.length === 0) test.skip('no mode can be tried here')
    for (const row of lines) expect(written).toContainEqual(cellsOf(row))
  })

  it('each system call that is needed for an escape is refused by the filter', async (test) => {
    if (process.arch !== 'x64') test.skip('the program that calls is made for x64')
    const tiny = path.join(base, 'calls')
    const calls = Object.entries(refusedCalls).flatMap(([name, [number]]) =>
      number === null ? [] : [{ name, number }],
    )
    // Includes one allowed call, getpid, to show that the program would notice one.
    writeFileSync(tiny, programThatCalls([...calls.map(({ number }) => number), 39]), { mode: 0o755 })
    let tried = 0
    const ways = [
      ...(isRoot ? [{ asRoot: true, mountsProc: true }] : []),
      { asRoot: false, mountsProc: true },
      // /proc cannot be mounted, as in a container.
      { asRoot: false, mountsProc: false },
    ]
    for (const { asRoot, mountsProc } of ways) {
      const confinement = await confinementOf('bubblewrap', asRoot, tiny, mountsProc)
      if (typeof confinement === 'string') continue
      const output = await run(confinement, asRoot, { binary: tiny, args: [] })
      const results = Array.from({ length: output.length / 8 }, (_, index) => Number(output.readBigInt64LE(index * 8)))
      const operationNotPermitted = -1
      expect(calls.map(({ name }, index) => [name, results[index]])).toEqual(
        calls.map(({ name }) => [name, operationNotPermitted]),
      )
      expect(results.at(-1)).toBeGreaterThan(0)
      tried += 1
    }
    if (tried === 0) test.skip('needs bubblewrap')
    expect(readdirSync(base)).toContain('calls')
  })
})

/**
 * Returns the smallest program that makes each call once, with zero arguments, and writes the results to standard output as 64-bit numbers.
 * It is an ELF file for x64 without libraries, so it runs where no other file exists.
 */
function programThatCalls(numbers: readonly number[]): Uint8Array {
  const [address, headers] = [0x400000n, 64 + 56]
  const room = numbers.length * 8
  const code: number[] = []
  const bytes = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >> 24) & 255]
  // sub rsp, room; mov rbx, rsp
  code.push(0x48, 0x81, 0xec, ...bytes(room), 0x48, 0x89, 0xe3)
  for (const number of numbers) {
    // xor edi, esi, edx, r10, r8, r9
    code.push(0x31, 0xff, 0x31, 0xf6, 0x31, 0xd2, 0x4d, 0x31, 0xd2, 0x4d, 0x31, 0xc0, 0x4d, 0x31, 0xc9)
    // mov eax, number; syscall; mov [rbx], rax; add rbx, 8
    code.push(0xb8, ...bytes(number), 0x0f, 0x05, 0x48, 0x89, 0x03, 0x48, 0x83, 0xc3, 0x08)
  }
  // write(1, rsp, room)
  code.push(0xb8, ...bytes(1), 0xbf, ...bytes(1), 0x48, 0x89, 0xe6, 0xba, ...bytes(room), 0x0f, 0x05)
  // exit(0)
  code.push(0xb8, ...bytes(60), 0x31, 0xff, 0x0f, 0x05)
  const file = Buffer.alloc(headers + code.length)
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  file.writeUInt16LE(2, 16)
  file.writeUInt16LE(62, 18)
  file.writeUInt32LE(1, 20)
  file.writeBigUInt64LE(address + BigInt(headers), 24)
  file.writeBigUInt64LE(64n, 32)
  for (const [offset, value] of [
    [52, 64],
    [54, 56],
    [56, 1],
    [58, 64],
  ] as const)
    file.writeUInt16LE(value, offset)
  file.writeUInt32LE(1, 64)
  file.writeUInt32LE(5, 68)
  file.writeBigUInt64LE(address, 80)
  file.writeBigUInt64LE(address, 88)
  file.writeBigUInt64LE(BigInt(file.length), 96)
  file.writeBigUInt64LE(BigInt(file.length), 104)
  file.writeBigUInt64LE(0x1000n, 112)
  file.set(code, headers)
  return file
}
