import fc from 'fast-check'

// The SDK adds notices to its user agent when it finds itself under an automated tool; tests must not depend on that.
process.env['STRIPE_SUPPRESS_NOTICES'] = 'true'

// Every run tries the same examples, so that what fails here fails there. PROPERTY_SEED=random looks at others; a number repeats a find.
const seed = process.env['PROPERTY_SEED'] ?? '20261121'
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })
