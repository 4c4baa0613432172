import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultLimits, type WorkerVersionSpec } from '../../../packages/ratecard/src/workers/runtime/worker-runtime.ts'
import {
  capnpText,
  workerdConfig,
} from '../../../packages/ratecard/src/workers/runtime/workerd/process/workerd-config.ts'

const version: WorkerVersionSpec = {
  name: 'sample',
  version: 'v1',
  code: 'export default {}',
  sourceMap: null,
  modules: [{ name: './a.wasm', type: 'wasm', content: new Uint8Array() }],
  compatibilityDate: '2026-11-01',
  compatibilityFlags: ['global_navigator'],
  passCredentials: false,
  vars: { TEXT: 'a "b"\n', JSON: { list: [1, null] } },
  limits: defaultLimits,
}

/** Reads a text literal by the rules of Cap'n Proto, independently of the tested writer. */
function readText(literal: string): string {
  expect(literal).toMatch(/^"(?:[^"\\\p{Cc}]|\\.)*"$/u)
  const bytes: number[] = []
  const body = literal.slice(1, -1)
  for (let index = 0; index < body.length; index++) {
    if (body[index] !== '\\') bytes.push(body.charCodeAt(index))
    else if (body[++index] === 'x') {
      bytes.push(Number.parseInt(body.slice(index + 1, index + 3), 16))
      index += 2
    } else bytes.push(body[index] === 'n' ? 10 : body.charCodeAt(index))
  }
  return Buffer.from(bytes).toString('utf8')
}

describe('the configuration that is written for workerd', () => {
  it('equals the reviewed text byte for byte', () => {
    expect(workerdConfig(version, '/tmp/x')).toMatchInlineSnapshot(`
      "using Workerd = import "/workerd/workerd.capnp";

      const config :Workerd.Config = (
        v8Flags = ["--max-heap-size=128", "--max-semi-space-size=1"],
        services = [
          (name = "user", worker = .user),
          (name = "control", worker = .control),
          (name = "egress", worker = .egress),
          (name = "cache", worker = .cache),
          (name = "internet", external = (address = "unix:/tmp/x/e.sock", http = (style = proxy))),
        ],
        sockets = [
          (name = "http", address = "unix:/tmp/x/h.sock", http = (forwardedProtoHeader = "x-ratecard-proto"), service = "user"),
          (name = "control", address = "unix:/tmp/x/c.sock", http = (), service = "control"),
        ],
      );

      const user :Workerd.Worker = (
        modules = [
          (name = "entry.js", esModule = embed "entry.js"),
          (name = "prelude.js", esModule = embed "prelude.js"),
          (name = "worker.js", esModule = embed "worker.js"),
          (name = "a.wasm", wasm = embed "m0"),
        ],
        compatibilityDate = "2026-11-01",
        compatibilityFlags = ["global_navigator"],
        bindings = [
          (name = "TEXT", text = "a \\"b\\"\\n"),
          (name = "JSON", json = "{\\"list\\":[1,null]}"),
        ],
        globalOutbound = "egress",
        cacheApiOutbound = "cache",
      );

      const control :Workerd.Worker = (
        modules = [ (name = "control.js", esModule = embed "control.js") ],
        compatibilityDate = "2026-01-01",
        bindings = [ (name = "WORKER", service = (name = "user", entrypoint = "__Ctl")) ],
        globalOutbound = "egress",
      );

      const egress :Workerd.Worker = (
        modules = [ (name = "egress.js", esModule = embed "egress.js") ],
        compatibilityDate = "2026-01-01",
        bindings = [ (name = "OUTSIDE", service = "internet") ],
        globalOutbound = "internet",
      );

      const cache :Workerd.Worker = (
        modules = [ (name = "cache.js", esModule = embed "cache.js") ],
        compatibilityDate = "2026-01-01",
        globalOutbound = "egress",
      );
      "
    `)
  })

  it.each([
    ['2024-01-01', [], ['nodejs_als']],
    ['2024-01-01', ['nodejs_compat'], ['nodejs_compat']],
    ['2026-08-04', [], []],
    ['2026-08-04', ['no_nodejs_compat'], ['no_nodejs_compat', 'nodejs_als']],
  ])('adds only the required flags at %s with %j', (compatibilityDate, compatibilityFlags, expected) => {
    const text = workerdConfig({ ...version, compatibilityDate, compatibilityFlags }, '/x')
    expect(text).toContain(`compatibilityFlags = [${expected.map((flag) => `"${flag}"`).join(', ')}]`)
  })
})

describe('text in the configuration for workerd', () => {
  it('can be read back unchanged, whatever it contains', () => {
    const unit = fc.oneof(
      fc.constantFrom('"', '\\', '\n', '\r', '\0', ')', '#'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    )
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(readText(capnpText(text))).toBe(text.toWellFormed())
      }),
      { numRuns: 1_000 },
    )
  })

  it('is escaped inside of its quotes, so that the rest of the configuration is unchanged', () => {
    const skeleton = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"/g, '""')
    const plain = skeleton(workerdConfig({ ...version, vars: { A: 'x' } }, '/x'))
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(skeleton(workerdConfig({ ...version, vars: { A: text } }, '/x'))).toBe(plain)
      }),
    )
  })
})
