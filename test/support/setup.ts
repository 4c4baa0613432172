import fc from 'fast-check'
import { afterAll } from 'vitest'
import { endOfFile } from './started.ts'

// The SDK adds notices to its user agent if it detects an automated tool; tests must not depend on that.
process.env['STRIPE_SUPPRESS_NOTICES'] = 'true'

// A fixed seed, so that property tests use the same examples everywhere. PROPERTY_SEED=random uses others; a number reproduces a
// failure.
const seed = process.env['PROPERTY_SEED'] ?? '20261121'
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })

afterAll(endOfFile)
