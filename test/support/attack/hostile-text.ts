import fc from 'fast-check'

/** Texts that break parsers, terminals, paths, queries and headers. */
export const hostileTexts = [
  '\u001b[2J\u001b[1;1HPlan: no changes.',
  '\u001b]0;owned\u0007',
  '\u009b31m',
  'a\rb',
  'a\nPlan: forged line',
  '\u202egnp.exe',
  '\u2066\u200b\ufeff',
  'half \ud83d',
  '\u0000',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '%2e%2e%2f',
  '${RATECARD_SERVICE_KEY}',
  "'; DROP TABLE versions; --",
  '<script>alert(1)</script>',
  '1e400',
  '٣',
  'é'.repeat(2_000),
] as const

export const hostileText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<string>(...hostileTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

/** Number of requests of each part of the attack. `.ci/run` uses the default. */
export const attackRuns = Number(process.env['ATTACK_RUNS'] ?? 1_500)
/** Time limit of each part. */
export const attackMs = Number(process.env['ATTACK_SECONDS'] ?? 45) * 1_000
