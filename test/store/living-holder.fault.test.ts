// Two processes of one host that cannot see each other, e.g. because of users, a hidden /proc or containers. Uses real ones.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { announceSkip } from '../support/skips.ts'

const root = path.resolve(import.meta.dirname, '../..')
const holderModule = path.join(root, 'packages/ratecard/src/store/sql/repositories/coordination/holder.ts')

/** A program that prints its own identity, then whether each given identity is dead, one per line. */
const program = `
  import { isDead, thisProcess } from ${JSON.stringify(holderModule)}
  import { createInterface } from 'node:readline'
  console.log(thisProcess)
  createInterface({ input: process.stdin }).on('line', (holder) => console.log(isDead(holder)))
`

const own = 'mount -t proc proc /proc'
const user = (uid: number) => `setpriv --reuid ${String(uid)} --regid ${String(uid)} --clear-groups`
const [blue, green] = [user(20_001), user(20_002)]

const probe = spawnSync('unshare', ['--mount', 'sh', '-c', `mount -t proc -o hidepid=2 proc /proc && ${blue} true`])
const capable = process.platform === 'linux' && probe.status === 0
if (!capable) announceSkip('holders of leases in other users and namespaces', 'needs root, unshare and setpriv')

class Replica {
  readonly #child
  readonly #lines: AsyncIterator<string>

  constructor(unshare: readonly string[], prepare: string, as: string) {
    const command = `${prepare} && exec ${as} "$0" --input-type=module --eval "$1"`
    this.#child = spawn('unshare', ['--mount', ...unshare, 'sh', '-c', command, process.execPath, program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void this.#child.kill('SIGKILL'))
    this.#lines = lines(this.#child.stdout)
  }

  async next(): Promise<string> {
    return String((await this.#lines.next()).value)
  }

  async saysDead(holder: string): Promise<boolean> {
    this.#child.stdin.write(`${holder}\n`)
    return (await this.next()) === 'true'
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

async function* lines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of stream) {
    rest += chunk.toString()
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      yield rest.slice(0, end)
      rest = rest.slice(end + 1)
    }
  }
}

const hidden = (options: string) => `mount -t proc -o ${options} proc /proc`

describe.runIf(capable)(
  'the process that holds a lease, checked by a replica of another user on the same host,',
  () => {
    it.each([
      ['whole', own],
      ['of which others’ entries cannot be read (hidepid=1)', hidden('hidepid=1')],
      ['without the processes of others (hidepid=2)', hidden('hidepid=2')],
      ['without what cannot be traced (hidepid=4)', hidden('hidepid=4')],
      ['of processes alone (hidepid=2,subset=pid)', hidden('hidepid=2,subset=pid')],
    ])('is reported alive while it runs and dead once it has ended, with a /proc %s', async (_, prepare) => {
      const holder = new Replica([], own, blue)
      const identity = await holder.next()
      const other = new Replica([], prepare, green)
      expect(await other.next()).not.toBe(identity)
      const dead = [await other.saysDead(identity)]
      await holder.kill()
      dead.push(await other.saysDead(identity))
      // With subset=pid the boot id is not readable, so the holder’s state is unknown and it is not reported dead.
      expect(dead).toEqual([false, !prepare.includes('subset')])
    })

    it('is not reported dead under the ProtectProc setting of the systemd unit in deploy/', async () => {
      const unit = readFileSync(path.join(root, 'deploy/systemd/ratecard.service'), 'utf8')
      // The mount option of systemd for ProtectProc=invisible. The test fails if the unit has another value.
      expect(/^ProtectProc=(.*)$/m.exec(unit)?.[1]).toBe('invisible')
      const holder = new Replica([], hidden('hidepid=2'), blue)
      const identity = await holder.next()
      const other = new Replica([], hidden('hidepid=2'), green)
      await other.next()
      expect(await other.saysDead(identity)).toBe(false)
    })

    it('is reported dead if a later process of the same user has its pid, and as unknown if that process is hidden', async () => {
      const later = new Replica([], own, blue)
      const identity = (await later.next()).replace(/\d+$/, (start) => `${start}0`)
      const seeing = new Replica([], hidden('hidepid=2'), blue)
      const blind = new Replica([], hidden('hidepid=2'), green)
      await Promise.all([seeing.next(), blind.next()])
      expect([await seeing.saysDead(identity), await blind.saysDead(identity)]).toEqual([true, false])
    })
  },
)

describe.runIf(capable)('the process that holds a lease in a pid namespace, e.g. in a container,', () => {
  const container = ['--pid', '--fork', '--kill-child']

  it('is never reported dead by a replica outside of the namespace, even after it ended, and does not report that replica as dead', async () => {
    const inside = new Replica(container, own, blue)
    const outside = new Replica([], own, green)
    const [of, host] = [await inside.next(), await outside.next()]
    expect([await outside.saysDead(of), await inside.saysDead(host)]).toEqual([false, false])
    await inside.kill()
    expect(await outside.saysDead(of)).toBe(false)
  })

  it('stores no process identity if its /proc belongs to the host, because the pids there differ', async () => {
    expect(await new Replica(container, 'true', blue).next()).toBe('null')
  })
})
